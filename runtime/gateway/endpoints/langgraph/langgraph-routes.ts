import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { eraseConversation } from '../../../engine/maintenance/erase-conversation.ts';
import { findConversationForMessage } from '../../auth/find-conversation.ts';
import { type Env, type ErrorShape, type HttpParts, shapeErrors } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { emptyConversation } from '../../intake/empty-conversation.ts';
import { addAssistantRoutes } from './assistant-routes.ts';
import { threadsMax } from './limits.ts';
import { searchRequest, threadRequest } from './run-request.ts';
import { addRunRoutes } from './run-routes.ts';
import { findThread, readState, toListedThread, toThread, toThreadState } from './thread.ts';
import { streamThread } from './thread-stream.ts';
import { refuseUnsupported } from './unsupported.ts';

const langGraphError: ErrorShape = ({ code, message }) => ({ detail: message, code });
export const shapeLangGraphErrors = shapeErrors(langGraphError);

/** Where clients of LangGraph's API find it: at the root, and under a prefix that names tenant and project. */
export const langGraphRoots = ['', '/api/langgraph/:tenant/:project'] as const;
const families = ['threads', 'runs', 'assistants', 'store'];
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
    refuseUnsupported(app, root);
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
  app.get(`${threads}/:thread/stream`, (context) => streamThread(context, parts));
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
  const which = { owner: context.get('sender'), conversation: id };
  const { status } = await eraseConversation(deps, which, { signal });
  if (status === 'gone') throw new Refusal('not_found', `thread ${id} not found`);
  return context.body(null, 204);
}
