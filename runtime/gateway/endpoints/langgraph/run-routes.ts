import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import { toTurnId } from '../../../timeline/ids.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { queryOf } from '../../input/parse-query.ts';
import { streamModes } from '../../projections/langgraph/langgraph.ts';
import { readTurnEnvelopes } from '../turn-lookup.ts';
import { beginRun } from './begin-run.ts';
import { modesOf, runRequest } from './run-request.ts';
import { startOfRun } from './run-start.ts';
import { toBegunRun, toRuns } from './run-status.ts';
import { setLocation, streamRun, waitForRun } from './runs.ts';
import { findThread, readTail } from './thread.ts';

export const runsQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(10),
  offset: z.coerce.number().int().min(0).default(0),
  status: z.string().max(100).optional(),
});

/** Runs, which are turns. */
export function addRunRoutes(app: Hono<Env>, parts: HttpParts, root: string): void {
  for (const runs of [`${root}/runs`, `${root}/threads/:thread/runs`]) {
    app.post(`${runs}/stream`, (context) => postStream(context, parts));
    app.post(`${runs}/wait`, (context) => postWait(context, parts));
    app.post(runs, (context) => postRun(context, parts));
  }
  app.get(`${root}/threads/:thread/runs`, (context) => listRuns(context, parts));
  const run = `${root}/threads/:thread/runs/:run`;
  app.get(run, (context) => getRun(context, parts));
  app.get(`${run}/stream`, (context) => joinRun(context, parts));
  app.get(`${run}/join`, (context) => getJoin(context, parts));
  app.post(`${run}/cancel`, (context) => cancelRun(context, parts));
}

async function postStream(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const request = parseInput(runRequest, await jsonOf(context));
  const taken = await beginRun(context, parts, request);
  const modes = modesOf(request.stream_mode);
  return streamRun(context, parts, { ...taken, run: taken.event.turn, modes });
}

async function postWait(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const request = parseInput(runRequest, await jsonOf(context));
  const taken = await beginRun(context, parts, request);
  const run = taken.event.turn;
  const values = await waitForRun(context, parts, { ...taken, run });
  setLocation(context, { row: taken.row, run, modes: ['values'] });
  return context.json(values);
}

async function postRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const request = parseInput(runRequest, await jsonOf(context));
  const { row, event } = await beginRun(context, parts, request);
  setLocation(context, { row, run: event.turn, modes: modesOf(request.stream_mode) });
  return context.json(toBegunRun(row, event.turn, request.assistant_id));
}

/** The newest first, of the last turns. */
async function listRuns(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { limit, offset, status } = queryOf(context, runsQuery);
  const row = await findThread(context, parts);
  const runs = toRuns(row, await readTail(row, parts)).toReversed();
  const named = runs.filter((run) => status === undefined || run['status'] === status);
  return context.json(named.slice(offset, offset + limit));
}

async function getRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const row = await findThread(context, parts);
  const name = context.req.param('run') ?? '';
  const place = { store: deps.store, signal };
  const [run] = toRuns(row, await readTurnEnvelopes(row, toTurnId(name), place));
  if (!run) throw new Refusal('not_found', `run ${name.slice(0, 200)} not found`);
  return context.json(run);
}

async function joinRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const row = await findThread(context, parts);
  const run = context.req.param('run') ?? '';
  const last = context.req.header('last-event-id');
  const after = await startOfRun(row, { run, last: last === '-1' ? undefined : last }, parts);
  const named = context.req.queries('stream_mode') ?? [];
  const modes = named.length === 0 ? streamModes : modesOf(named);
  return streamRun(context, parts, { row, after, run, modes });
}

async function getJoin(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const row = await findThread(context, parts);
  const run = context.req.param('run') ?? '';
  const after = await startOfRun(row, { run, last: undefined }, parts);
  return context.json(await waitForRun(context, parts, { row, after, run }));
}

/** Stops the turn. A run that has ended stays as it is. */
async function cancelRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, intake, closing: signal } = parts;
  const row = await findThread(context, parts);
  const run = context.req.param('run') ?? '';
  const after = await startOfRun(row, { run, last: undefined }, parts);
  if (row.openTurn === run) {
    const stop = {
      ...{ conversation_id: row.id, message_id: deps.ids.next('msg') },
      ...{ kind: 'steer', text: '', expected_turn_id: run },
    };
    await intake.take(context.get('sender'), stop, { signal });
  }
  const isWaiting = ['1', 'true'].includes(context.req.query('wait') ?? '');
  if (isWaiting) await waitForRun(context, parts, { row, after, run });
  return context.body(null, isWaiting ? 204 : 202);
}
