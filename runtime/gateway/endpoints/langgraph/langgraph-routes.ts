import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { findConversationForMessage } from '../../auth/find-conversation.ts';
import { type Env, type ErrorShape, type HttpParts, shapeErrors } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { emptyConversation } from '../../intake/empty-conversation.ts';
import { streamModes } from '../../projections/langgraph/langgraph.ts';
import { addAssistantRoutes } from './assistant-routes.ts';
import { beginRun } from './begin-run.ts';
import { threadsMax } from './limits.ts';
import { modesOf, runRequest, searchRequest, threadRequest } from './run-request.ts';
import { startOfRun } from './run-start.ts';
import { setLocation, streamRun, toRun, waitForRun } from './runs.ts';
import { findThread, readState, toListedThread, toThread, toThreadState } from './thread.ts';

const langGraphError: ErrorShape = ({ code, message }) => ({ detail: message, code });
export const shapeLangGraphErrors = shapeErrors(langGraphError);

/** Where clients of LangGraph's API find it: at the root, and under a prefix that names tenant and project. */
export const langGraphRoots = ['', '/api/langgraph/:tenant/:project'] as const;
const families = ['threads', 'runs', 'assistants'];
export const langGraphPaths: readonly string[] = langGraphRoots.flatMap((root) =>
  families.flatMap((family) => [`${root}/${family}`, `${root}/${family}/*`]),
);

/** A part of the API of a LangGraph server: a thread is a conversation, a run is a turn. */
export function addLangGraphRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  for (const path of langGraphPaths) app.use(path, known);
  for (const root of langGraphRoots) {
    addAssistantRoutes(app, parts, root);
    addThreadRoutes(app, parts, `${root}/threads`);
    addRunRoutes(app, parts, root);
  }
}

function addThreadRoutes(app: Hono<Env>, parts: HttpParts, threads: string): void {
  app.post(threads, (context) => createThread(context, parts));
  app.post(`${threads}/search`, (context) => searchThreads(context, parts));
  app.get(`${threads}/:thread`, async (context) => {
    const row = await findThread(context, parts);
    return context.json(toThread(row, await readState(row, parts)));
  });
  app.delete(`${threads}/:thread`, (context) => deleteThread(context, parts));
  app.get(`${threads}/:thread/state`, async (context) => {
    const row = await findThread(context, parts);
    return context.json(toThreadState(row, await readState(row, parts)));
  });
  app.post(`${threads}/:thread/history`, async (context) => {
    const row = await findThread(context, parts);
    if (row.head === 0) return context.json([]);
    return context.json([toThreadState(row, await readState(row, parts))]);
  });
}

function addRunRoutes(app: Hono<Env>, parts: HttpParts, root: string): void {
  for (const runs of [`${root}/runs`, `${root}/threads/:thread/runs`]) {
    app.post(`${runs}/stream`, (context) => postStream(context, parts));
    app.post(`${runs}/wait`, (context) => postWait(context, parts));
    app.post(runs, (context) => postRun(context, parts));
  }
  const run = `${root}/threads/:thread/runs/:run`;
  app.get(run, (context) => getRun(context, parts));
  app.get(`${run}/stream`, (context) => joinRun(context, parts));
  app.get(`${run}/join`, (context) => getJoin(context, parts));
  app.post(`${run}/cancel`, (context) => cancelRun(context, parts));
}

async function createThread(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const { thread_id, if_exists } = parseInput(threadRequest, await jsonOf(context));
  const sender = context.get('sender');
  const name = thread_id ?? deps.ids.next('conv');
  const named = { conversation: name, signal };
  const known = await findConversationForMessage(deps.store, sender, named);
  if (known && if_exists !== 'do_nothing') {
    throw new Refusal('conflict', `thread ${name} exists already`);
  }
  if (!known) await deps.store.accept(emptyConversation(sender, name, deps.ids), { signal });
  const row = known ?? (await deps.store.find(sender, name, { signal }));
  if (!row) throw new Refusal('not_found', `thread ${name} not found`);
  return context.json(toThread(row, await readState(row, parts)));
}

async function searchThreads(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const { limit, offset } = parseInput(searchRequest, await jsonOf(context));
  const rows = await deps.store.list(context.get('sender'), { limit: threadsMax, signal });
  const first = offset ?? 0;
  return context.json(rows.slice(first, first + (limit ?? 10)).map(toListedThread));
}

async function deleteThread(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const { id } = await findThread(context, parts);
  const erased = await deps.store.erase(context.get('sender'), id, { signal });
  if (erased.status === 'gone') throw new Refusal('not_found', `thread ${id} not found`);
  deps.bus.publish(erased.key, [{ kind: 'erased' }]);
  return context.body(null, 204);
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
  return context.json(toRun(row, event.turn, request.assistant_id));
}

async function getRun(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const row = await findThread(context, parts);
  const run = context.req.param('run') ?? '';
  await startOfRun(row, { run, last: undefined }, parts);
  return context.json(toRun(row, run, ''));
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
