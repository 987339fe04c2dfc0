import { isLegacyRequest } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import { id as idSchema } from '../../../client/protocol/request-schemas.ts';
import { mcpSessionsSpace } from '../../../sdk/compile/host/spaces.ts';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';
import type { Sender } from '../../../timeline/ports/store.ts';
import { findConversationForMessage } from '../../auth/find-conversation.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import { logLevels } from '../../projections/mcp.ts';
import type { McpCaller } from './messages/caller.ts';
import { sessionTtlMs, uriCharsMax, watchedMax } from './messages/limits.ts';

/** Names the conversation of clients whose version of the protocol has no sessions. */
const conversationHeader = 'x-timeloom-conversation';
const sessionHeader = 'mcp-session-id';

type CallerParts = {
  readonly parts: HttpParts;
  readonly endpoint: BundleEndpoint;
  readonly body: unknown;
};

/** The client of a request. Refusals `invalid_input`: no session; `not_found`: the session of another user. */
export async function callerOf(
  context: Context<Env>,
  { parts, endpoint, body }: CallerParts,
): Promise<McpCaller> {
  const { deps, closing: signal } = parts;
  const conversation = (await sessionOf(context, body)) ?? deps.ids.next('conv');
  const { tenant, project } = deps.scope;
  // Callers that are not known share nothing: each session has a user of its own.
  const nobody = { tenant, project, user: `public_${conversation}` };
  const sender = endpoint.access === 'public' ? nobody : context.get('sender');
  await findConversationForMessage(deps.store, sender, { conversation, signal });
  const { elicits, logs, isEnded } = await recordOf(context, { parts, sender, conversation });
  if (isEnded) throw new Refusal('not_found', 'session has ended: send initialize');
  const bundle = context.req.param('bundle') ?? '';
  const gone = context.req.raw.signal;
  return { parts, sender, bundle, endpoint, conversation, elicits, logs, signal, gone };
}

/** Of a session that the request names. */
async function recordOf(
  { req }: Context<Env>,
  { parts, ...place }: Pick<CallerParts, 'parts'> & Pick<McpCaller, 'sender' | 'conversation'>,
): Promise<SessionRecord> {
  const isNamed = req.header(sessionHeader) !== undefined;
  return isNamed ? readSession(parts, place) : newSession;
}

/** Undefined: a new conversation. */
async function sessionOf({ req }: Context<Env>, body: unknown): Promise<string | undefined> {
  const named = req.header(sessionHeader) ?? req.header(conversationHeader);
  if (named !== undefined) {
    if (idSchema.safeParse(named).success) return named;
    throw new Refusal('not_found', 'session not found');
  }
  if (req.method !== 'POST') throw new Refusal('invalid_input', `${sessionHeader} is required`);
  return (await isWithoutSession(req.raw, body)) ? undefined : missingSession();
}

function missingSession(): never {
  throw new Refusal('invalid_input', `${sessionHeader} is required: send initialize first`);
}

/** `initialize` opens a session; requests of the version of 2026 have none. */
async function isWithoutSession(request: Request, body: unknown): Promise<boolean> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return true;
  const { method } = body as { method?: unknown };
  if (method === 'initialize' || method === 'ping') return true;
  return !(await isLegacyRequest(request, body));
}

const record = z.object({
  /** The client can ask its user. */
  elicits: z.boolean().default(false),
  /** The least level of the log messages that it wants. */
  logs: z.enum(logLevels).exactOptional(),
  isEnded: z.boolean().default(false),
  /** Resources whose changes the client wants to know. */
  watched: z.array(z.string()).default([]),
});
type SessionRecord = z.infer<typeof record>;
const newSession: SessionRecord = record.parse({});

type Place = { readonly sender: Sender; readonly conversation: string };

/** What a client said about its session, on any gateway. The conversation outlives it. */
export async function readSession(
  { deps }: Pick<HttpParts, 'deps'>,
  { sender, conversation }: Place,
): Promise<SessionRecord> {
  const value = await deps.storage.get(mcpSessionsSpace(sender), conversation);
  return record.catch(newSession).parse(value ?? {});
}

/** Notes what a client says about its session. */
export async function changeSession(
  { parts, ...place }: McpCaller,
  change: (session: SessionRecord) => Partial<SessionRecord>,
): Promise<void> {
  const before = await readSession(parts, place);
  const value = { ...before, ...change(before) };
  const { storage } = parts.deps;
  await storage.set(mcpSessionsSpace(place.sender), place.conversation, {
    value,
    ttlMs: sessionTtlMs,
  });
}

/** The session ends; its conversation stays. */
export async function endSession(caller: McpCaller): Promise<void> {
  await changeSession(caller, () => ({ ...newSession, isEnded: true }));
}

/** Refusal `invalid_input`: the session has too many. */
export async function watchResource(caller: McpCaller, uri: string): Promise<void> {
  await changeSession(caller, ({ watched }) => {
    const uris = [...new Set([...watched, uri])];
    if (uris.length <= watchedMax && uri.length <= uriCharsMax) return { watched: uris };
    const message = `a session subscribes to at most ${watchedMax} resources of ${uriCharsMax} characters`;
    throw new Refusal('invalid_input', message);
  });
}

export async function unwatchResource(caller: McpCaller, uri: string): Promise<void> {
  await changeSession(caller, ({ watched }) => ({
    watched: watched.filter((each) => each !== uri),
  }));
}
