import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Refusal } from '../../../base/refusal.ts';
import { conversationRequest } from '../../../client/protocol/request-schemas.ts';
import { type Env, type ErrorShape, type HttpParts, shapeErrors } from '../../http/context.ts';
import { jsonOf, parseInput } from '../../input/parse-input.ts';
import { aiSdk, type JoinedMessage } from '../../projections/ai-sdk/ai-sdk.ts';
import { agentInPath } from '../agent-name.ts';
import { takeAll, takeMessage } from '../take-message.ts';
import { resumePointOf, streamTurn } from '../turn-stream.ts';
import { chatRequest, parseLastMessage, toChatEvents } from './chat-request.ts';

/** An error part, as the response to a request that begins no stream. */
export const aiSdkError: ErrorShape = ({ code, message }) => ({
  type: 'error',
  errorText: message,
  code,
});

/** For `useChat` of the AI SDK: `api` is the address of an agent. */
export function addAiSdkRoutes(
  app: Hono<Env>,
  parts: HttpParts,
  known: MiddlewareHandler<Env>,
): void {
  const root = '/api/ai/:tenant/:project';
  app.use(`${root}/*`, known);
  for (const agent of [`${root}/:agent`, `${root}/:bundle/:agent`]) {
    app.post(agent, (context) => postChat(context, parts));
    app.get(`${agent}/:conversation/stream`, (context) => getChatStream(context, parts));
  }
}

export const shapeAiSdkErrors = shapeErrors(aiSdkError);

async function postChat(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const agent = agentInPath(context, parts.deps.bundles);
  const request = parseInput(chatRequest, await jsonOf(context));
  const last = parseLastMessage(request);
  if (!last.success) {
    throw new Refusal('invalid_input', 'messages: the last one must be a UI message with parts');
  }
  const { isAnswer, messages } = toChatEvents({ ...request, last: last.data });
  const taken = await takeAll(messages, (message) =>
    takeMessage(context, parts, isAnswer ? message : { ...message, ...agent }),
  );
  const joined: JoinedMessage = isAnswer
    ? 'continued'
    : { id: `${taken.event.turn}.${taken.event.id}` };
  return streamTurn(context, parts, { ...taken, kind: aiSdk(joined) });
}

/** The running turn from its start; 204 if none is running. */
async function getChatStream(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  agentInPath(context, deps.bundles);
  const conversation = context.req.param('conversation') ?? '';
  parseInput(conversationRequest, { conversation_id: conversation });
  const row = await deps.store.find(context.get('sender'), conversation, { signal });
  if (row?.openTurn === undefined) return context.body(null, 204);
  const after = await resumePointOf(row, undefined, parts);
  return streamTurn(context, parts, { row, after, kind: aiSdk() });
}
