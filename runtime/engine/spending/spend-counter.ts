import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { BudgetReservations } from '../../tools/services/budget-reservations.ts';
import { spendPollMs, spendReservedMs, spendSharedMs } from '../limits.ts';

const SpendRecord = z.object({
  tokens: z.number(),
  cost_usd: z.number(),
  reserved_tokens: z.number(),
  reserved_usd: z.number(),
  /** Reservations count until then; a process that died releases nothing. */
  until: z.number(),
});
type SpendRecord = z.output<typeof SpendRecord>;

export type CounterParts = {
  readonly storage: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Unique among the processes: each writes one entry of its own, so no write is lost. */
  readonly process: string;
};

export type Sums = { readonly spent: Reservation; readonly reserved: Reservation };
const nothing: Reservation = { tokens: 0, costUsd: 0 };

/** What was spent and reserved in one storage space, by all processes together. */
export class SpendCounter {
  readonly #parts: CounterParts;
  readonly #space: string;
  readonly #keptMs: number;
  readonly #reservations = new BudgetReservations();
  #own: Promise<Reservation> | undefined;
  #others: { readonly sums: Sums; readonly atMs: number } | undefined;
  #writes: Promise<void> = Promise.resolve();

  constructor(parts: CounterParts, { space, keptMs }: { space: string; keptMs: number }) {
    this.#parts = parts;
    this.#space = space;
    this.#keptMs = keptMs;
  }

  get isIdle(): boolean {
    return this.#reservations.isEmpty;
  }

  /**
   * Reserves if `decide` allows it for everything that all processes have spent and reserved so far. It decides and
   * reserves without a pause, so that two calls of this process never take the same room.
   */
  async tryReserve(
    most: Reservation,
    decide: (sums: Sums) => boolean,
  ): Promise<Disposable | undefined> {
    const own = await this.#loadOwn();
    const others = await this.#loadOthers();
    const spent = plus(own, others.spent);
    const reserved = plus(this.#reservations.reserved, others.reserved);
    return decide({ spent, reserved }) ? this.#reserve(most) : undefined;
  }

  #reserve(most: Reservation): Disposable {
    const reservation = this.#reservations.reserve(most);
    this.#publish();
    return {
      [Symbol.dispose]: () => {
        reservation[Symbol.dispose]();
        this.#publish();
      },
    };
  }

  /** Resolves when a reservation may have been released, here or elsewhere. */
  async released(signal: AbortSignal): Promise<void> {
    if (!this.#reservations.isEmpty) return this.#reservations.released(signal);
    await this.#parts.clock.sleep(spendPollMs, { signal });
    this.#others = undefined;
  }

  async charge(amount: Reservation): Promise<void> {
    this.#own = this.#loadOwn().then((own) => plus(own, amount));
    await this.#write();
  }

  #loadOwn(): Promise<Reservation> {
    const { storage, process } = this.#parts;
    this.#own ??= storage
      .get(this.#space, process)
      .then((value) => (value === undefined ? nothing : spentIn(SpendRecord.parse(value))));
    return this.#own;
  }

  /** Amounts of other processes are up to `spendSharedMs` old. */
  async #loadOthers(): Promise<Sums> {
    const { storage, clock, process } = this.#parts;
    const atMs = clock.monotonic();
    if (this.#others && atMs - this.#others.atMs < spendSharedMs) return this.#others.sums;
    let sums: Sums = { spent: nothing, reserved: nothing };
    for await (const key of storage.keys(this.#space, '')) {
      const value = key === process ? undefined : await storage.get(this.#space, key);
      if (value === undefined) continue;
      const stored = SpendRecord.parse(value);
      const reserved = stored.until > clock.now() ? reservedIn(stored) : nothing;
      sums = { spent: plus(sums.spent, spentIn(stored)), reserved: plus(sums.reserved, reserved) };
    }
    this.#others = { sums, atMs };
    return sums;
  }

  /** Others learn about reservations in the background. */
  #publish(): void {
    void this.#write().catch((error: unknown) => {
      this.#parts.log.warn('a spending reservation was not stored', { error });
    });
  }

  #write(): Promise<void> {
    const done = this.#writes.then(async () => {
      const { storage, process, clock } = this.#parts;
      const own = await this.#loadOwn();
      const { tokens, costUsd } = this.#reservations.reserved;
      const value: SpendRecord = {
        tokens: own.tokens,
        cost_usd: own.costUsd,
        reserved_tokens: tokens,
        reserved_usd: costUsd,
        until: clock.now() + spendReservedMs,
      };
      await storage.set(this.#space, process, { value, ttlMs: this.#keptMs });
    });
    this.#writes = done.catch(() => undefined);
    return done;
  }
}

export function plus(one: Reservation, other: Reservation): Reservation {
  return { tokens: one.tokens + other.tokens, costUsd: one.costUsd + other.costUsd };
}

function spentIn({ tokens, cost_usd: costUsd }: SpendRecord): Reservation {
  return { tokens, costUsd };
}

function reservedIn({ reserved_tokens: tokens, reserved_usd: costUsd }: SpendRecord): Reservation {
  return { tokens, costUsd };
}
