import { Refusal } from '../../base/refusal.ts';
import type { Reservation } from '../../tools/ports/turn-budget.ts';
import type { Account } from './spending.ts';

/** A limit of an operator. Periods are days and months in UTC. */
export type SpendLimit = {
  readonly of: 'user' | 'tenant';
  readonly per: 'day' | 'month';
  /** In one of these units at least. */
  readonly costUsd?: number;
  readonly tokens?: number;
};

/** The storage space of one account and period. */
export function spaceOf({ of, per }: SpendLimit, account: Account, now: number): string {
  const { tenant, project, user = '' } = account;
  const owner = of === 'user' ? user : '';
  const period = new Date(now).toISOString().slice(0, per === 'day' ? 10 : 7);
  return ['spend', of, tenant, project, owner, period].map(encodeURIComponent).join('/');
}

/** How long the amounts of a period are kept: longer than the period. */
export function keptMsOf({ per }: SpendLimit): number {
  return (per === 'day' ? 3 : 40) * 86_400_000;
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
