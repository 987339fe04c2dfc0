import type { Context, Hono } from 'hono';
import { type Env, type HttpParts, setRetryAfter, statusOfCode } from '../http/context.ts';
import { attachmentsOf } from '../http/form.ts';
import { jsonOf } from '../input/parse-input.ts';
import { getStream } from './event-stream.ts';

/** Messages, and conversations as server-sent events, over plain HTTP. */
export function addChatRoutes(app: Hono<Env>, parts: HttpParts): void {
  app.post('/api/chat/:tenant/:project/messages', (context) => postMessage(context, parts));
  app.get('/api/chat/:tenant/:project/conversations/:conversation/stream', (context) =>
    getStream(context, parts),
  );
}

async function postMessage(
  context: Context<Env>,
  { intake, closing }: HttpParts,
): Promise<Response> {
  const form = context.req.header('content-type')?.startsWith('multipart/form-data') ?? false;
  const message = form ? await attachmentsOf(context) : await jsonOf(context);
  const { ack } = await intake.take(context.get('sender'), message, { signal: closing });
  if (ack.ok) return context.json(ack);
  setRetryAfter(context, ack.error);
  return context.json(ack, statusOfCode(ack.error.code));
}
