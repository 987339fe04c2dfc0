import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { spendCountersMax } from '../limits.ts';
import { tokensOf } from '../model/usage.ts';
import { type CounterParts, SpendCounter } from './spend-counter.ts';
import {
  extended,
  isReached,
  isWithin,
  keptMsOf,
  leftOfLimit,
  limitReached,
  nextExtension,
  periodOf,
  type SpendLimit,
  spaceOf,
} from './spend-limit.ts';
import { plus, type Sums } from './spend-record.ts';
import type { Account, SpendExtension, Spending } from './spending.ts';

/** Limits for users and tenants over shared storage. */
export function createSpending(limits: readonly SpendLimit[], parts: CounterParts): Spending {
  const counters = new Counters(parts);
  const now = () => parts.clock.now();
  const limitsOf = ({ user }: Account) =>
    limits.filter(({ of }) => of === 'tenant' || user !== undefined);
  const counterOf = (limit: SpendLimit, account: Account) =>
    counters.of(limit, account, periodOf(limit, now()));
  return {
    async reserve(account, most, { signal }) {
      const reserved: Disposable[] = [];
      const release = () => {
        for (const each of reserved) each[Symbol.dispose]();
      };
      try {
        for (const limit of limitsOf(account)) {
          const counter = counterOf(limit, account);
          reserved.push(await reserveIn(counter, { limit, most, signal, now }));
        }
      } catch (error) {
        release();
        throw error;
      }
      return { [Symbol.dispose]: release };
    },
    async charge(account, modelCall) {
      const amount = amountOf(modelCall);
      // Two limits for the same account and period share a counter.
      const own = new Set(limitsOf(account).map((limit) => counterOf(limit, account)));
      await Promise.all([...own].map((counter) => counter.charge(amount)));
    },
    async left(account) {
      return await Promise.all(
        limitsOf(account).map(async (limit) => {
          const { spent, added } = await counterOf(limit, account).sums();
          return leftOfLimit(extended(limit, added), spent, periodOf(limit, now()));
        }),
      );
    },
    async extension(account) {
      for (const limit of limitsOf(account)) {
        const { spent, added, consents } = await counterOf(limit, account).sums();
        const stated = extended(limit, added);
        if (!isReached(spent, stated)) continue;
        return nextExtension(stated, spent, { consents, period: periodOf(limit, now()) });
      }
      return undefined;
    },
    async extend(account, { costUsd = 0, tokens = 0, ...place }, consent) {
      const limit = limits.find(({ of, per }) => of === place.of && per === place.per);
      if (limit)
        await counters.of(limit, account, place.period).extend(consent, { costUsd, tokens });
    },
  };
}

/** By account and period. */
class Counters {
  readonly #parts: CounterParts;
  readonly #counters = new Map<string, SpendCounter>();

  constructor(parts: CounterParts) {
    this.#parts = parts;
  }

  of(limit: SpendLimit, account: Account, period: SpendExtension['period']): SpendCounter {
    const space = spaceOf({ of: limit.of, period }, account);
    const known = this.#counters.get(space);
    if (known) return known;
    this.#forgetIdle();
    const consentsMax = limit.extend?.times ?? 0;
    const counter = new SpendCounter(this.#parts, { space, keptMs: keptMsOf(limit), consentsMax });
    this.#counters.set(space, counter);
    return counter;
  }

  /** Amounts are stored: a counter that is not in use can be loaded again. */
  #forgetIdle(): void {
    for (const [space, counter] of this.#counters) {
      if (this.#counters.size < spendCountersMax) return;
      if (counter.isIdle) this.#counters.delete(space);
    }
  }
}

type Wish = {
  readonly limit: SpendLimit;
  readonly most: Reservation;
  readonly signal: AbortSignal;
  readonly now: () => number;
};

/** An answer on its own never waits, whatever it may need: the limit is exceeded once at most. */
async function reserveIn(
  counter: SpendCounter,
  { limit, most, signal, now }: Wish,
): Promise<Disposable> {
  const decide = ({ spent, reserved, added }: Sums) => {
    const stated = extended(limit, added);
    if (isReached(spent, stated)) throw limitReached(limit, now());
    const isAlone = reserved.tokens + reserved.costUsd === 0;
    return isAlone || isWithin(plus(plus(spent, reserved), most), stated);
  };
  for (;;) {
    signal.throwIfAborted();
    const room = await counter.tryReserve(most, decide);
    if (room) return room;
    await counter.released(signal);
  }
}

function amountOf({ usage, cost_usd: costUsd }: JsonObject): Reservation {
  const tokens = isJsonObject(usage) ? tokensOf(usage) : 0;
  return { tokens, costUsd: typeof costUsd === 'number' ? costUsd : 0 };
}
