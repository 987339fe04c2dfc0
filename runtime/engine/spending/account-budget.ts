import type { TurnBudget } from '../../tools/ports/turn-budget.ts';
import type { Account, Spending } from './spending.ts';

/** The budget of a model call outside a turn: of an operation or a job. Its user and tenant pay. */
export function accountBudget(spending: Spending, account: Account): TurnBudget {
  return {
    isSpent: false,
    leftMs: Number.POSITIVE_INFINITY,
    reserve: (most, options) => spending.reserve(account, most(), options),
    charge: (modelCall) => spending.charge(account, modelCall),
  };
}
