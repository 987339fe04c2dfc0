import type { JsonObject } from '../../base/json.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';

/** Who pays for a model answer. Without a user: the tenant alone. */
export type Account = {
  readonly tenant: string;
  readonly project: string;
  readonly user?: string | undefined;
};

/** What a user may add to a limit that is used up, once per consent. */
export type SpendExtension = {
  readonly of: 'user' | 'tenant';
  readonly per: 'day' | 'month';
  /** The day or month in UTC, as in `2026-11` or `2026-11-24`. */
  readonly period: string;
  /** At least one of these. */
  readonly costUsd?: number;
  readonly tokens?: number;
};

/** A limit and what is left of it, at least 0. */
export type SpendLeft = {
  readonly of: 'user' | 'tenant';
  readonly per: 'day' | 'month';
  readonly period: string;
  /** US dollars and tokens, where the limit names them. */
  readonly costUsd?: { readonly limit: number; readonly left: number };
  readonly tokens?: { readonly limit: number; readonly left: number };
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
  /** Every limit of the account, with what users have added to it. */
  left(account: Account): Promise<readonly SpendLeft[]>;
  /** The extension that makes room again. Undefined: there is none, because operators allow none or no further one. */
  extension(account: Account): Promise<SpendExtension | undefined>;
  /** Adds an extension to which a user has consented. Counts once for each `consent`. */
  extend(account: Account, extension: SpendExtension, consent: string): Promise<void>;
}
