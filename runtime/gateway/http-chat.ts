import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import { Work } from '../base/signal.ts';
import { routeOf } from '../client/routes.ts';
import { openFeed, type Sink } from './feed.ts';
import { type Env, type HttpParts, jsonOf, statusOfCode, tellWait } from './http-context.ts';
import { attachmentsOf } from './http-form.ts';
import { queryOf } from './http-query.ts';
import { openLifetime } from './lifetime.ts';
import { keepAliveMs } from './limits.ts';
import { findOwn, startAt } from './own.ts';

export const streamQuery = z.object({ after: z.string().optional() });

/** Saying and hearing over plain HTTP: messages, and a conversation as server-sent events. */
export function addChat(app: Hono<Env>, parts: HttpParts): void {
  app.post('/api/chat/:tenant/:project/messages', (context) => postMessage(context, parts));
  app.get('/api/chat/:tenant/:project/conversations/:conversation/stream', (context) =>
    getStream(context, parts),
  );
}

async function postMessage(context: Context<Env>, { desk, closing }: HttpParts): Promise<Response> {
  const form = context.req.header('content-type')?.startsWith('multipart/form-data') ?? false;
  const message = form ? await attachmentsOf(context) : await jsonOf(context);
  const { ack } = await desk.take(context.get('sender'), message, { signal: closing });
  if (ack.ok) return context.json(ack);
  tellWait(context, ack.error);
  return context.json(ack, statusOfCode(ack.error.code));
}

/** `id` is the cursor, so that `Last-Event-ID` of a browser's own reconnect goes on where it stopped. */
async function getStream(context: Context<Env>, { deps, closing }: HttpParts): Promise<Response> {
  const conversation = context.req.param('conversation');
  if (conversation === undefined) throw new Refusal('not_found', 'no conversation is named');
  const row = await findOwn(deps.store, context.get('sender'), { conversation, signal: closing });
  const { after } = queryOf(context, streamQuery);
  const start = startAt(row, context.req.header('last-event-id') ?? after);
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    const untilMs = context.get('untilMs');
    using _lifetime =
      untilMs === undefined
        ? undefined
        : openLifetime(untilMs, {
            clock: deps.clock,
            over: () => work.stop('shutdown'),
          });
    stream.onAbort(() => work.stop('shutdown'));
    let written: Promise<unknown> = Promise.resolve();
    const write = (step: () => Promise<unknown>) => {
      written = written.then(() => (work.signal.aborted ? undefined : step()));
    };
    const sink: Sink = {
      send: (envelope) => {
        const { cursor: id, type } = envelope;
        write(() => stream.writeSSE({ id, event: routeOf(type), data: JSON.stringify(envelope) }));
      },
      ready: async (signal) => {
        await written;
        signal.throwIfAborted();
      },
      end: () => write(async () => work.stop('shutdown')),
    };
    await using _feed = openFeed(deps, row, { start, sink });
    await keepAlive(() => write(() => stream.write(': still here\n\n')), {
      clock: deps.clock,
      signal: work.signal,
    });
  });
}

/** Until the stream ends, so that whoever stands between does not take silence for an end. */
async function keepAlive(
  say: () => void,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(keepAliveMs, { signal });
      say();
    }
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}
