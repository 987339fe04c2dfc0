import { Refusal } from '../../../base/refusal.ts';
import type { CallId } from '../../../timeline/ids.ts';
import type { Reservation } from '../../../tools/ports/turn-budget.ts';
import { exhausted, type TurnBudget } from '../../../tools/ports/turn-budget.ts';
import { isSpent, leftMs, leftOf } from '../../plan/budget.ts';
import type { WorkerSession } from '../../session/session.ts';

/**
 * The budget of the open turn as seen by one of its calls, or by a step without one: always read fresh, and charged on
 * the log at once.
 */
export function callBudget(session: WorkerSession, call?: CallId): TurnBudget {
  const { id } = session.turn;
  const { wallMs, tokens, costUsd } = session.budgets;
  const spending = { tokensMax: tokens, costUsdMax: costUsd };
  const isLimited = tokens !== undefined || costUsd !== undefined;
  const open = () => {
    const turn = session.conversation.view.openTurn;
    if (turn?.id === id) return turn;
    throw new Refusal('call_over', 'The turn this belongs to is over.');
  };
  const reserveInTurn = async (wanted: Reservation, signal: AbortSignal) => {
    const { reservations } = session.ledger;
    for (;;) {
      if (isSpent(open(), spending)) throw exhausted('no model is asked any more.');
      const all = [wanted, reservations.reserved];
      if (reservations.isEmpty || fits(all, leftOf(open(), spending))) {
        return reservations.reserve(wanted);
      }
      await reservations.released(signal);
    }
  };
  return {
    get isSpent() {
      return isSpent(open(), spending);
    },
    get leftMs() {
      return leftMs(open(), { wallMs, now: session.engine.clock.now() });
    },
    reserve: async (most, { signal }) => {
      open();
      const account = await reserveAccount(session, most, signal);
      if (!isLimited) return account;
      try {
        return both(account, await reserveInTurn(most(), signal));
      } catch (error) {
        account[Symbol.dispose]();
        throw error;
      }
    },
    charge: async (data) => {
      const turn = open().id;
      await session.conversation.append([
        {
          type: 'model.call',
          turn,
          author: 'system',
          ...(call === undefined ? {} : { call }),
          data,
        },
      ]);
    },
  };
}

/** Within what the user and the tenant may spend. */
async function reserveAccount(
  { engine, conversation }: WorkerSession,
  most: () => Reservation,
  signal: AbortSignal,
): Promise<Disposable> {
  if (!engine.spending) return unlimited;
  return engine.spending.reserve(conversation.lease.row, most(), { signal });
}

const unlimited: Disposable = { [Symbol.dispose]: () => undefined };

function both(one: Disposable, other: Disposable): Disposable {
  return {
    [Symbol.dispose]: () => {
      other[Symbol.dispose]();
      one[Symbol.dispose]();
    },
  };
}

function fits(wanted: readonly Reservation[], left: Reservation): boolean {
  const sum = (key: keyof Reservation) => wanted.reduce((total, each) => total + each[key], 0);
  return sum('tokens') <= left.tokens && sum('costUsd') <= left.costUsd;
}
