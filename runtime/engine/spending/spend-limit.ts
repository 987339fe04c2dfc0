import { Refusal } from '../../base/refusal.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import type { Account, SpendExtension, SpendLeft } from './spending.ts';

/** A limit of an operator. Periods are days and months in UTC. */
export type SpendLimit = {
  readonly of: 'user' | 'tenant';
  readonly per: 'day' | 'month';
  /** In one of these units at least. */
  readonly costUsd?: number;
  readonly tokens?: number;
  /** What a user may add when the limit is used up, and how often in a period. Absent: nothing. */
  readonly extend?: {
    readonly costUsd?: number;
    readonly tokens?: number;
    readonly times: number;
  };
};

type Place = Pick<SpendLimit, 'of'> & { readonly period: string };

/** The storage space of one account and period. */
export function spaceOf({ of, period }: Place, account: Account): string {
  const { tenant, project, user = '' } = account;
  const owner = of === 'user' ? user : '';
  return ['spend', of, tenant, project, owner, period].map(encodeURIComponent).join('/');
}

/** The day or month in UTC. */
export function periodOf({ per }: Pick<SpendLimit, 'per'>, now: number): string {
  return new Date(now).toISOString().slice(0, per === 'day' ? 10 : 7);
}

/** How long the amounts of a period are kept: longer than the period. */
export function keptMsOf({ per }: Pick<SpendLimit, 'per'>): number {
  return (per === 'day' ? 3 : 40) * 86_400_000;
}

/** The limit with everything that users have added to it. */
export function extended(limit: SpendLimit, added: Reservation): SpendLimit {
  const { costUsd, tokens } = limit;
  return {
    ...limit,
    ...(costUsd === undefined ? {} : { costUsd: costUsd + added.costUsd }),
    ...(tokens === undefined ? {} : { tokens: tokens + added.tokens }),
  };
}

/** What one more consent adds. Undefined: operators allow no further one, or it would not be enough. */
export function nextExtension(
  limit: SpendLimit,
  spent: Reservation,
  { consents, period }: { readonly consents: number; readonly period: string },
): SpendExtension | undefined {
  const { of, per, extend } = limit;
  if (!extend || consents >= extend.times) return undefined;
  const { times: _, ...amounts } = extend;
  const { costUsd = 0, tokens = 0 } = amounts;
  if (isReached(spent, extended(limit, { costUsd, tokens }))) return undefined;
  return { of, per, period, ...amounts };
}

export function leftOfLimit(
  { of, per, costUsd, tokens }: SpendLimit,
  spent: Reservation,
  period: string,
): SpendLeft {
  const part = (limit: number, used: number) => ({ limit, left: Math.max(0, limit - used) });
  return {
    ...{ of, per, period },
    ...(costUsd === undefined ? {} : { costUsd: part(costUsd, spent.costUsd) }),
    ...(tokens === undefined ? {} : { tokens: part(tokens, spent.tokens) }),
  };
}

export function isWithin(amount: Reservation, { costUsd, tokens }: SpendLimit): boolean {
  return (
    amount.costUsd <= (costUsd ?? Number.POSITIVE_INFINITY) &&
    amount.tokens <= (tokens ?? Number.POSITIVE_INFINITY)
  );
}

/** Nothing is left of the limit. */
export function isReached(amount: Reservation, { costUsd, tokens }: SpendLimit): boolean {
  return (
    amount.costUsd >= (costUsd ?? Number.POSITIVE_INFINITY) ||
    amount.tokens >= (tokens ?? Number.POSITIVE_INFINITY)
  );
}

export function limitReached({ of, per }: SpendLimit, now: number): Refusal {
  const whose = of === 'user' ? 'Your spending limit' : 'The spending limit of this installation';
  const when = per === 'day' ? 'today' : 'this month';
  const renewed = renewalOf(per, now).toISOString().slice(0, 10);
  return new Refusal(
    'budget_exhausted',
    `${whose} for ${when} is used up. It is renewed on ${renewed} (UTC).`,
  );
}

function renewalOf(per: SpendLimit['per'], now: number): Date {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return per === 'day'
    ? new Date(Date.UTC(year, month, date.getUTCDate() + 1))
    : new Date(Date.UTC(year, month + 1, 1));
}
