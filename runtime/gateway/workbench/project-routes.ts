import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { Work } from '../../base/signal.ts';
import { usageGroups } from '../../timeline/ports/overview.ts';
import type { Env } from '../http/context.ts';
import { keepAlive } from '../http/frame-stream.ts';
import { queryOf } from '../input/parse-query.ts';
import { assertInspector, coverage, whose } from './access.ts';
import { type Inspection, projectPath } from './inspection.ts';
import { conversationsPageMax, liveEveryMs, liveRowsMax, usageRowsMax } from './limits.ts';
import { toWireConversation, toWireUsage, toWireWorking } from './wire-rows.ts';

const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], 'must be an ISO 8601 date or time')
  .transform((text) => new Date(text).toISOString());
const limits = `must be between 1 and ${conversationsPageMax}`;
export const inspectedListQuery = z.object({
  ...whose,
  limit: z
    .int(limits)
    .min(1, limits)
    .max(conversationsPageMax, limits)
    .default(conversationsPageMax),
});
export const usageQuery = z.object({
  ...whose,
  from: moment.optional(),
  to: moment.optional(),
  by: z.enum(usageGroups).default('day'),
});

/** Days that usage covers without `from`. */
const usageDays = 30;
const dayMs = 86_400_000;

export function addProjectRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/conversations`, (context) => getConversations(context, inspection));
  app.get(`${projectPath}/usage`, (context) => getUsage(context, inspection));
  app.get(`${projectPath}/live`, (context) => getLive(context, inspection));
}

async function getConversations(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, limit } = queryOf(context, inspectedListQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const owner = coverage(context, inspection.parts, user);
  const rows = await deps.store.overview.conversations(owner, { limit, signal });
  return context.json({ ok: true, items: rows.map(toWireConversation) });
}

async function getUsage(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, by, ...range } = queryOf(context, usageQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const now = deps.clock.now();
  const { from = new Date(now - usageDays * dayMs).toISOString() } = range;
  const { to = new Date(now + dayMs).toISOString() } = range;
  const owner = coverage(context, inspection.parts, user);
  const query = { from, to, by, limit: usageRowsMax };
  const rows = await deps.store.overview.usage(owner, query, { signal });
  return context.json({ ok: true, from, to, by, items: rows.map(toWireUsage) });
}

/** Sends what works now, and again whenever that changes. */
async function getLive(context: Context<Env>, inspection: Inspection): Promise<Response> {
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const { deps, closing, metrics } = inspection.parts;
  const owner = coverage(context, inspection.parts, undefined);
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    stream.onAbort(() => work.stop('shutdown'));
    const { signal } = work;
    let last = '';
    const look = async () => {
      const rows = await deps.store.overview.working(owner, { limit: liveRowsMax, signal });
      const data = JSON.stringify({ items: rows.map(toWireWorking), metrics: metrics() });
      if (data === last) return;
      last = data;
      await stream.writeSSE({ event: 'live', data });
    };
    const alive = keepAlive(() => void stream.write(': still here\n\n'), {
      clock: deps.clock,
      signal,
    });
    try {
      while (!signal.aborted) {
        await look();
        await deps.clock.sleep(liveEveryMs, { signal });
      }
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      work.stop('shutdown');
      await alive;
    }
  });
}
