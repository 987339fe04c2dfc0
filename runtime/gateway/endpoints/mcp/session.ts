import type { Context } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { id as idSchema } from '../../../client/protocol/request-schemas.ts';
import type { BundleEndpoint } from '../../../sdk/contract/runtime-bundle.ts';
import { findConversationForMessage } from '../../auth/find-conversation.ts';
import type { Env, HttpParts } from '../../http/context.ts';
import type { McpCaller } from './caller.ts';

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
  const conversation = sessionOf(context, body) ?? deps.ids.next('conv');
  const { tenant, project } = deps.scope;
  // Callers that are not known share nothing: each session has a user of its own.
  const nobody = { tenant, project, user: `public_${conversation}` };
  const sender = endpoint.access === 'public' ? nobody : context.get('sender');
  await findConversationForMessage(deps.store, sender, { conversation, signal });
  const bundle = context.req.param('bundle') ?? '';
  return { parts, sender, bundle, endpoint, conversation, signal, gone: context.req.raw.signal };
}

/** Undefined: a new conversation. */
function sessionOf({ req }: Context<Env>, body: unknown): string | undefined {
  const named = req.header(sessionHeader) ?? req.header(conversationHeader);
  if (named !== undefined) {
    if (idSchema.safeParse(named).success) return named;
    throw new Refusal('not_found', 'session not found');
  }
  if (req.method === 'GET') throw new Refusal('invalid_input', `${sessionHeader} is required`);
  return isWithoutSession(body) ? undefined : missingSession();
}

function missingSession(): never {
  throw new Refusal('invalid_input', `${sessionHeader} is required: send initialize first`);
}

/** `initialize` opens a session; requests of the version of 2026, which carry their version, have none. */
function isWithoutSession(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return true;
  const { method, params } = body as { method?: unknown; params?: unknown };
  if (method === 'initialize' || method === 'ping') return true;
  const meta = typeof params === 'object' && params !== null && '_meta' in params && params._meta;
  return typeof meta === 'object' && meta !== null && versionKey in meta;
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
