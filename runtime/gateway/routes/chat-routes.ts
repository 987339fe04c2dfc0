import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Ids } from '../../base/ids.ts';
import type { MessageAck, WireEnvelope } from '../../client/protocol/envelope.ts';
import { type Env, type HttpParts, setRetryAfter } from '../http/context.ts';
import { attachmentsOf } from '../http/form.ts';
import { statusOfCode } from '../http/status.ts';
import { jsonOf } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { getStream } from './event-stream.ts';
import { getFrames } from './poll-route.ts';
import { waitForAnswer } from './wait-for-answer.ts';

export const messageQuery = z.object({ wait: z.enum(['ack', 'answer']).default('ack') });

/** Messages, and conversations as server-sent events, over plain HTTP. */
export function addChatRoutes(app: Hono<Env>, parts: HttpParts): void {
  app.post('/api/chat/:tenant/:project/messages', (context) => postMessage(context, parts));
  app.get('/api/chat/:tenant/:project/conversations/:conversation/stream', (context) =>
    getStream(context, parts),
  );
  app.get('/api/chat/:tenant/:project/conversations/:conversation/frames', (context) =>
    getFrames(context, parts),
  );
}

async function postMessage(
  context: Context<Env>,
  { deps, intake, closing }: HttpParts,
): Promise<Response> {
  const { wait } = queryOf(context, messageQuery);
  const form = context.req.header('content-type')?.startsWith('multipart/form-data') ?? false;
  const body = form ? await attachmentsOf(context) : await jsonOf(context);
  const message = wait === 'answer' ? withMessageId(body, deps.ids) : body;
  const { ack, from } = await intake.take(context.get('sender'), message, { signal: closing });
  if (!ack.ok) {
    setRetryAfter(context, ack.error);
    return context.json(ack, statusOfCode(ack.error.code));
  }
  if (wait === 'ack' || from === undefined) return context.json(ack);
  const gone = context.req.raw.signal;
  const end = await waitForAnswer(deps, { ack, from }, { signal: closing, gone });
  // Not ended yet: the events after the cursor tell the rest.
  if (end === undefined) return context.json(ack, 202);
  return answerOf(context, end, ack);
}

/** The end of a turn as a response: its answer, or the error that ended it. */
function answerOf(
  context: Context<Env>,
  end: WireEnvelope,
  { options_applied }: Pick<MessageAck & { readonly ok: true }, 'options_applied'>,
): Response {
  const { conversation_id, turn_id, cursor, data = {} } = end;
  const options = options_applied === undefined ? {} : { options_applied };
  const names = { conversation_id, turn_id, cursor, ...options };
  if (end.type === 'chat.complete') return context.json({ ok: true, ...names, ...data });
  const { code, message, ...rest } = data;
  const status = statusOfCode(String(code));
  return context.json({ ok: false, ...names, ...rest, error: { code, message } }, status);
}

/** Without an id of its own, a request that is repeated is another message. */
function withMessageId(message: unknown, ids: Ids): unknown {
  if (typeof message !== 'object' || message === null || 'message_id' in message) return message;
  return { ...message, message_id: ids.next('msg') };
}
