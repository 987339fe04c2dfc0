import type { JsonObject } from '../../base/json.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';

/** Who pays for a model answer. Without a user: the tenant alone. */
export type Account = {
  readonly tenant: string;
  readonly project: string;
  readonly user?: string | undefined;
};

/** What users and tenants may spend in a period, across all turns and processes. */
export interface Spending {
  /**
   * Reserves room for one model answer until disposed. Waits while answers in progress might exceed a limit together.
   * Refusal `budget_exhausted`, which names the limit, once one is used up.
   */
  reserve(
    account: Account,
    most: Reservation,
    options: { signal: AbortSignal },
  ): Promise<Disposable>;
  /** Counts a model answer, given as the data of a `model.call`. */
  charge(account: Account, modelCall: JsonObject): Promise<void>;
}
