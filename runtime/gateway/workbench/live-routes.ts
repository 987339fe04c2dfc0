import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Work } from '../../base/signal.ts';
import type { ConversationKey } from '../../timeline/ids.ts';
import type { Env } from '../http/context.ts';
import { keepAlive } from '../http/frame-stream.ts';
import { queryOf } from '../input/parse-query.ts';
import { assertInspector, coverage, findInspected, whoseQuery } from './access.ts';
import { conversationPath, type Inspection, projectPath } from './inspection.ts';
import { Heads } from './log/heads.ts';
import { liveEveryMs, livePauseMs, liveRowsMax } from './log/limits.ts';
import { toWireWorking } from './wire/wire-rows.ts';

/** Routes that tell a page at once what changes, so that it need not ask again and again. */
export function addLiveRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/live`, (context) => getLive(context, inspection));
  app.get(`${conversationPath}/heads`, (context) => getHeads(context, inspection));
}

type Send = (event: string, data: object) => Promise<void>;

/** An event stream that runs until its client leaves or the gateway closes. */
function streamEvents(
  context: Context<Env>,
  { deps, closing }: Inspection['parts'],
  run: (send: Send, signal: AbortSignal) => Promise<void>,
): Response {
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    stream.onAbort(() => work.stop('shutdown'));
    const { signal } = work;
    const alive = keepAlive(() => stream.write(': still here\n\n'), {
      clock: deps.clock,
      signal,
    });
    const send: Send = (event, data) => stream.writeSSE({ event, data: JSON.stringify(data) });
    try {
      await run(send, signal);
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      work.stop('shutdown');
      await alive;
    }
  });
}

/**
 * Sends what works now, and again whenever that changes: a turn that begins wakes a worker, and every block of a turn
 * announces a head. A slow look finds the changes that no message announced.
 */
async function getLive(context: Context<Env>, inspection: Inspection): Promise<Response> {
  assertInspector(context, inspection.parts);
  inspection.admit(context);
  const { deps, metrics } = inspection.parts;
  const owner = coverage(context, inspection.parts, undefined);
  return streamEvents(context, inspection.parts, async (send, signal) => {
    using heads = new Heads(deps.bus, deps.clock);
    using _wakes = deps.bus.onWake(() => heads.change());
    let last = '';
    while (!signal.aborted) {
      const rows = await deps.store.overview.working(owner, { limit: liveRowsMax, signal });
      heads.follow(rows.map(({ row }) => row.key));
      const live = { items: rows.map(toWireWorking), metrics: metrics() };
      const said = JSON.stringify(live);
      if (said !== last) await send('live', live);
      last = said;
      await heads.next({ pauseMs: livePauseMs, atMostMs: liveEveryMs, signal });
    }
  });
}

/** Sends the head of one conversation whenever it grows. */
async function getHeads(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user } = queryOf(context, whoseQuery);
  inspection.admit(context);
  const row = await findInspected(context, inspection.parts, user);
  const { deps } = inspection.parts;
  const find = async (key: ConversationKey, signal: AbortSignal) => {
    const { tenant, project, user: owner, id } = row;
    const now = await deps.store.find({ tenant, project, user: owner }, id, { signal });
    return now?.key === key ? now : undefined;
  };
  return streamEvents(context, inspection.parts, async (send, signal) => {
    using heads = new Heads(deps.bus, deps.clock);
    heads.follow([row.key]);
    let last = '';
    while (!signal.aborted) {
      const now = await find(row.key, signal);
      if (!now) return;
      const { head, openTurn } = now;
      const said = JSON.stringify([head, openTurn]);
      if (said !== last)
        await send('head', { head, ...(openTurn && { active_turn_id: openTurn }) });
      last = said;
      await heads.next({ pauseMs: livePauseMs, atMostMs: liveEveryMs, signal });
    }
  });
}
