import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EntryStore } from '../../sdk/compile/host/key-value-store.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { BudgetReservations } from '../../tools/services/budget-reservations.ts';
import { spendPollMs, spendReservedMs } from '../limits.ts';
import {
  consentEntry,
  nothing,
  plus,
  recordOf,
  type Sums,
  spentIn,
  sumsOf,
} from './spend-record.ts';

export type CounterParts = {
  readonly storage: EntryStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Unique among the processes: each writes one entry of its own, so no write is lost. */
  readonly process: string;
};

type CounterOptions = {
  readonly space: string;
  readonly keptMs: number;
  readonly consentsMax: number;
};

/**
 * What was spent and reserved in one storage space, by all processes together.
 *
 * A process writes its wish first and reads the others then. Of two that want the last room at the same time, at least one
 * sees the wish of the other; if both do, both take it back and try again after different times.
 */
export class SpendCounter {
  readonly #parts: CounterParts;
  readonly #options: CounterOptions;
  readonly #reservations = new BudgetReservations();
  #wish: Reservation = nothing;
  #spent: Promise<Reservation> | undefined;
  #writes: Promise<void> = Promise.resolve();
  #attempts: Promise<unknown> = Promise.resolve();
  #attempting = 0;

  constructor(parts: CounterParts, options: CounterOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#reservations.isEmpty && this.#attempting === 0;
  }

  /** Reserves if `decide` allows it for everything that all processes have spent and reserved. One attempt at a time. */
  tryReserve(most: Reservation, decide: (sums: Sums) => boolean): Promise<Disposable | undefined> {
    this.#attempting += 1;
    const attempt = this.#attempts.then(() => this.#attempt(most, decide));
    this.#attempts = attempt
      .catch(() => undefined)
      .finally(() => {
        this.#attempting -= 1;
      });
    return attempt;
  }

  async #attempt(
    most: Reservation,
    decide: (sums: Sums) => boolean,
  ): Promise<Disposable | undefined> {
    // Nothing needs to be written where this process alone leaves no room.
    if (!this.#reservations.isEmpty && !decide(await this.sums())) return undefined;
    this.#wish = most;
    let room: Disposable | undefined;
    try {
      await this.#write();
      if (decide(await this.sums())) room = this.#reserve(most);
      return room;
    } finally {
      this.#wish = nothing;
      // The wish that is stored is the reservation.
      if (!room) this.#publish();
    }
  }

  #reserve(most: Reservation): Disposable {
    const reservation = this.#reservations.reserve(most);
    return {
      [Symbol.dispose]: () => {
        reservation[Symbol.dispose]();
        this.#publish();
      },
    };
  }

  async sums(): Promise<Sums> {
    const { storage, clock, process } = this.#parts;
    const { space, consentsMax } = this.#options;
    const spent = await this.#loadSpent();
    const entries = await storage.entries(space);
    const others = sumsOf(entries, { now: clock.now(), except: process, consentsMax });
    return {
      ...others,
      spent: plus(spent, others.spent),
      reserved: plus(this.#reservations.reserved, others.reserved),
    };
  }

  /** Resolves when a reservation may have been released, here or elsewhere. */
  async released(signal: AbortSignal): Promise<void> {
    if (!this.#reservations.isEmpty) return this.#reservations.released(signal);
    // Processes that got in each other's way come back at different times.
    const pauseMs = spendPollMs * (0.2 + 0.8 * Math.random());
    await this.#parts.clock.sleep(pauseMs, { signal });
  }

  async charge(amount: Reservation): Promise<void> {
    this.#spent = this.#loadSpent().then((spent) => plus(spent, amount));
    await this.#write();
  }

  async extend(consent: string, amount: Reservation): Promise<void> {
    const [key, value] = consentEntry(consent, amount);
    const { space, keptMs } = this.#options;
    await this.#parts.storage.set(space, key, { value, ttlMs: keptMs });
  }

  #loadSpent(): Promise<Reservation> {
    const { storage, process } = this.#parts;
    this.#spent ??= storage
      .get(this.#options.space, process)
      .then((value) => (value === undefined ? nothing : spentIn(value)));
    return this.#spent;
  }

  /** Others learn in the background that less is reserved. */
  #publish(): void {
    void this.#write().catch((error: unknown) => {
      this.#parts.log.warn('a spending reservation was not stored', { error });
    });
  }

  #write(): Promise<void> {
    const done = this.#writes.then(async () => {
      const { storage, process, clock } = this.#parts;
      const { space, keptMs } = this.#options;
      const spent = await this.#loadSpent();
      const reserved = plus(this.#reservations.reserved, this.#wish);
      const value = recordOf({ spent, reserved, until: clock.now() + spendReservedMs });
      await storage.set(space, process, { value, ttlMs: keptMs });
    });
    this.#writes = done.catch(() => undefined);
    return done;
  }
}
