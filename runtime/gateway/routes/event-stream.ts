import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { untilAborted, Work } from '../../base/signal.ts';
import { tail } from '../../client/protocol/request-schemas.ts';
import { routeOf } from '../../client/protocol/routes.ts';
import { openExpiryTimer } from '../auth/expiry-timer.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { openFeed, type Sink } from '../feed/feed.ts';
import { resolveStart } from '../feed/history.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { queryOf } from '../input/parse-query.ts';
import { keepAliveMs } from './limits.ts';

export const streamQuery = z.object({ after: z.string().optional(), tail: tail.optional() });

/** `id` is the cursor, so that `Last-Event-ID` of a browser's automatic reconnect resumes where the stream stopped. */
export async function getStream(
  context: Context<Env>,
  { deps, closing }: HttpParts,
): Promise<Response> {
  const conversation = context.req.param('conversation');
  if (conversation === undefined) throw new Refusal('not_found', 'conversation is required');
  const row = await findConversation(deps.store, context.get('sender'), {
    conversation,
    signal: closing,
  });
  const { after, tail: turns } = queryOf(context, streamQuery);
  const last = context.req.header('last-event-id') ?? after;
  const place = { store: deps.store, signal: closing };
  const start = await resolveStart(row, { after: last, tail: turns }, place);
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    const untilMs = context.get('untilMs');
    using _lifetime =
      untilMs === undefined
        ? undefined
        : openExpiryTimer(untilMs, {
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
      ready: async (signal) => void (await untilAborted(written, signal)),
      end: () => write(async () => work.stop('shutdown')),
    };
    await using _feed = openFeed(deps, row, { start, sink });
    await keepAlive(() => write(() => stream.write(': still here\n\n')), {
      clock: deps.clock,
      signal: work.signal,
    });
  });
}

/** Sends comments until the stream ends, so that proxies do not close a silent connection. */
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
