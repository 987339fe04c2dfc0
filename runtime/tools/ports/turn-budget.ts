import type { JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';

/** The most that one requested model answer may use. */
export type Reservation = { readonly tokens: number; readonly costUsd: number };

/** What is left of the budget of a turn, for a running call. */
export interface TurnBudget {
  /** The tokens or the money of the turn are used up. */
  readonly isSpent: boolean;
  /** Milliseconds left; 0 or less once they are used up. */
  readonly leftMs: number;
  /**
   * Reserves budget for one more model answer until disposed. Waits while the answers in progress together might exceed
   * the budget; an answer on its own never waits. Refusal `budget_exhausted` once tokens or money are used up.
   */
  reserve(most: () => Reservation, options: { signal: AbortSignal }): Promise<Disposable>;
  /** Counts a model answer, given as the data of a `model.call`. Durable when it resolves. */
  charge(modelCall: JsonObject): Promise<void>;
}

/** Refusal `budget_exhausted`; `because` says what will not run. */
export function exhausted(because: string): Refusal {
  return new Refusal('budget_exhausted', `The budget of this turn is used up: ${because}`);
}
