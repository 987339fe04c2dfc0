import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';

/** What an answer that is asked for may use at most. */
export type Reservation = { readonly tokens: number; readonly costUsd: number };

/** What a turn may still use, as a running call of it sees that. */
export interface TurnBudget {
  /** Its tokens or its money are used up. */
  readonly exceedsQuota: boolean;
  /** Milliseconds that are left of it; at most 0 once they are used up. */
  readonly leftMs: number;
  /**
   * Room for one more answer, until it is disposed of. Waits while others are on their way and all of them might be too
   * much together; what is asked for alone always has it. Refusal `budget_exhausted` once tokens or money are used up.
   */
  reserve(most: () => Reservation, options: { signal: AbortSignal }): Promise<Disposable>;
  /** Counts an answer of a model, told as a `model.call` says it. Durable when it resolves. */
  charge(modelCall: JsonObject): Promise<void>;
}

/** Refusal `budget_exhausted`; `because`: what is not done any more. */
export function exhausted(because: string): Refusal {
  return new Refusal('budget_exhausted', `The budget of this turn is used up: ${because}`);
}
