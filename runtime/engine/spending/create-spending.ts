import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import { spendCountersMax } from '../limits.ts';
import { tokensOf } from '../model/usage.ts';
import { type CounterParts, plus, SpendCounter, type Sums } from './spend-counter.ts';
import {
  isReached,
  isWithin,
  keptMsOf,
  limitReached,
  type SpendLimit,
  spaceOf,
} from './spend-limit.ts';
import type { Account, Spending } from './spending.ts';

/** Limits for users and tenants over shared storage. */
export function createSpending(limits: readonly SpendLimit[], parts: CounterParts): Spending {
  const counters = new Map<string, SpendCounter>();
  const counterOf = (limit: SpendLimit, account: Account): SpendCounter => {
    const space = spaceOf(limit, account, parts.clock.now());
    const known = counters.get(space);
    if (known) return known;
    forgetIdle(counters);
    const counter = new SpendCounter(parts, { space, keptMs: keptMsOf(limit) });
    counters.set(space, counter);
    return counter;
  };
  const now = () => parts.clock.now();
  const limitsOf = ({ user }: Account) =>
    limits.filter(({ of }) => of === 'tenant' || user !== undefined);
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
  };
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
  const decide = ({ spent, reserved }: Sums) => {
    if (isReached(spent, limit)) throw limitReached(limit, now());
    const isAlone = reserved.tokens + reserved.costUsd === 0;
    return isAlone || isWithin(plus(plus(spent, reserved), most), limit);
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

/** Amounts are stored: a counter that is not in use can be loaded again. */
function forgetIdle(counters: Map<string, SpendCounter>): void {
  for (const [space, counter] of counters) {
    if (counters.size < spendCountersMax) return;
    if (counter.isIdle) counters.delete(space);
  }
}
