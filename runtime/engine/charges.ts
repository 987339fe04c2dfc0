import { Refusal } from '../base/refusal.ts';
import type { TurnBudget } from '../tools/turn-budget.ts';
import { isSpent, leftMs } from './budget.ts';
import type { Visit } from './visit.ts';

/** The budget of the open turn, for one call of it: read when asked, and charged on the log at once. */
export function budgetFor(visit: Visit, call: string): TurnBudget {
  const { id } = visit.turn;
  const { wallMs, tokens, costUsd } = visit.agent.budgets;
  const open = () => {
    const turn = visit.owned.view.openTurn;
    if (turn?.id === id) return turn;
    throw new Refusal('call_over', 'The turn this belongs to is over.');
  };
  return {
    get isSpent() {
      return isSpent(open(), { tokensMax: tokens, costUsdMax: costUsd });
    },
    get leftMs() {
      return leftMs(open(), { wallMs, now: visit.engine.clock.now() });
    },
    charge: async (data) => {
      const turn = open().id;
      await visit.owned.append([{ type: 'model.call', turn, author: 'system', call, data }]);
    },
  };
}
