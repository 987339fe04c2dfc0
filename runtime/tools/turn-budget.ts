import type { JsonObject } from '../base/json.ts';
import { Refusal } from '../base/refusal.ts';

/** What a turn may still use, as a running call of it sees that. */
export interface TurnBudget {
  /** Its tokens or its money are used up. */
  readonly isSpent: boolean;
  /** Milliseconds that are left of it; at most 0 once they are used up. */
  readonly leftMs: number;
  /** Counts an answer of a model, told as a `model.call` says it. Durable when it resolves. */
  charge(modelCall: JsonObject): Promise<void>;
}

/** Refusal `budget_exhausted`; `because`: what is not done any more. */
export function exhausted(because: string): Refusal {
  return new Refusal('budget_exhausted', `The budget of this turn is used up: ${because}`);
}
