import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { SpendLeft } from '../../engine/spending/spending.ts';
import type { FailureRow } from '../../timeline/ports/overview.ts';
import type { Env } from '../http/context.ts';
import { moment } from '../input/moment.ts';
import { queryOf } from '../input/parse-query.ts';
import { coverage, whose, whoseQuery } from './access.ts';
import { type Inspection, projectPath } from './inspection.ts';
import { failureCharsMax, failuresMax, toolRowsMax } from './log/limits.ts';

export const failuresQuery = z.object({ ...whose, from: moment.optional(), to: moment.optional() });

const hourMs = 3_600_000;
const daysOfTools = 30;

/** Routes that show what goes wrong, and what may still be spent. */
export function addHealthRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/failures`, (context) => getFailures(context, inspection));
  app.get(`${projectPath}/tools`, (context) => getTools(context, inspection));
  app.get(`${projectPath}/budgets`, (context) => getBudgets(context, inspection));
}

/** By default of the last hour. */
async function getFailures(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, ...range } = queryOf(context, failuresQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const owner = coverage(context, inspection.parts, user);
  const period = periodOf(range, { now: deps.clock.now(), lastMs: hourMs });
  const query = { ...period, limit: failuresMax + 1, signal };
  const rows = await deps.store.overview.failures(owner, query);
  return context.json({
    ...{ ok: true, ...period, has_more: rows.length > failuresMax },
    items: rows.slice(0, failuresMax).map(toWireFailure),
  });
}

/** By default of the last 30 days. */
async function getTools(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, ...range } = queryOf(context, failuresQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const owner = coverage(context, inspection.parts, user);
  const period = periodOf(range, { now: deps.clock.now(), lastMs: daysOfTools * 24 * hourMs });
  const items = await deps.store.overview.tools(owner, { ...period, limit: toolRowsMax, signal });
  return context.json({ ok: true, ...period, items });
}

/** Of one user: the sender, or for inspectors `user`. */
async function getBudgets(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  inspection.admit(context);
  const sender = context.get('sender');
  coverage(context, inspection.parts, user);
  const account = { ...sender, user: user ?? sender.user };
  const left = (await inspection.parts.deps.spending?.left(account)) ?? [];
  return context.json({ ok: true, user: account.user, items: left.map(toWireLeft) });
}

type Range = { readonly from?: string | undefined; readonly to?: string | undefined };

/** A period that ends now, unless the request names another. */
export function periodOf({ from, to }: Range, { now, lastMs }: { now: number; lastMs: number }) {
  return {
    from: from ?? new Date(now - lastMs).toISOString(),
    to: to ?? new Date(now + hourMs).toISOString(),
  };
}

function toWireFailure({ conversation, title = '', message, tool, ...row }: FailureRow): object {
  return {
    ...{ conversation_id: conversation, title, ...row },
    ...(tool !== '' && { tool }),
    message: message.slice(0, failureCharsMax).toWellFormed(),
  };
}

function toWireLeft({ of, per, period, costUsd, tokens }: SpendLeft): object {
  return {
    ...{ of, per, period },
    ...(costUsd && { cost_usd: costUsd }),
    ...(tokens && { tokens }),
  };
}
