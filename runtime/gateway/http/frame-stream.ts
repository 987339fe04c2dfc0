import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Clock } from '../../base/clock.ts';
import { Scope } from '../../base/scope.ts';
import { untilAborted, Work } from '../../base/signal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { openExpiryTimer } from '../auth/expiry-timer.ts';
import type { Position } from '../feed/cursor.ts';
import { openFeed, type Sink } from '../feed/feed.ts';
import type { Env, HttpParts } from './context.ts';
import { keepAliveMs } from './limits.ts';

/** The data of one server-sent event. */
export type Frame = {
  readonly id?: string;
  /** Another conversation, to which `id` belongs. */
  readonly of?: string;
  readonly event?: string;
  readonly data: string;
};

export type FrameSource = {
  readonly row: ConversationRow;
  readonly start: Position;
  /** The frames of one envelope, in order. */
  take(envelope: WireEnvelope): readonly Frame[];
  /** The frames that follow when everything that has happened so far was taken. */
  caughtUp?(): readonly Frame[];
  /** True: the response ends after the frames so far. Otherwise it ends with the feed or the connection. */
  readonly isOver?: boolean;
  /** Called once, before the first envelope. */
  attach?(response: FrameResponse): void;
};

/** The response that a source writes to, for a source that follows other conversations as well. */
export type FrameResponse = {
  /** Follows another conversation in the same response. The end of its feed ends nothing. */
  follow(companion: Pick<FrameSource, 'row' | 'start' | 'take'>): void;
  write(toFrames: () => readonly Frame[]): void;
  /** Fires when the response is over. */
  readonly signal: AbortSignal;
};

/**
 * Responds with the events of a conversation as server-sent events. The response ends when its token expires; comments
 * keep the connection open; the feed waits while the client does not read.
 */
export function streamFrames(
  context: Context<Env>,
  { deps, closing }: Pick<HttpParts, 'deps' | 'closing'>,
  source: FrameSource,
): Response {
  const { row, start } = source;
  return streamSSE(context, async (stream) => {
    using work = new Work(closing);
    using _here = deps.presence?.enter();
    using _lifetime = openLifetime(context.get('untilMs'), { clock: deps.clock, work });
    stream.onAbort(() => work.stop('shutdown'));
    let written: Promise<unknown> = Promise.resolve();
    const queue = (step: () => Promise<unknown>) => {
      written = written.then(() => (work.signal.aborted ? undefined : step()));
      return written;
    };
    const end = () => queue(async () => work.stop('shutdown'));
    const isOver = () => source.isOver === true;
    const send = (toFrames: () => readonly Frame[]) => {
      if (isOver()) return;
      const frames = toFrames();
      if (frames.length > 0) void queue(() => stream.write(frames.map(toText).join('')));
      if (isOver()) void end();
    };
    const sink: Sink = {
      send: (envelope) => send(() => source.take(envelope)),
      caughtUp: () => send(() => source.caughtUp?.() ?? []),
      ready: async (signal) => void (await untilAborted(written, signal)),
      end: () => void end(),
    };
    await using feeds = new Scope();
    const follow: FrameResponse['follow'] = ({ row: other, start: from, take }) => {
      const { ready } = sink;
      const own: Sink = { ready, send: (one) => send(() => take(one)), end: () => undefined };
      feeds.own(openFeed(deps, other, { start: from, sink: own }));
    };
    source.attach?.({ follow, write: send, signal: work.signal });
    feeds.own(openFeed(deps, row, { start, sink }));
    await keepAlive(() => queue(() => sayAlive(stream)), {
      clock: deps.clock,
      signal: work.signal,
    });
  });
}

function toText({ id, of, event, data }: Frame): string {
  const named = event === undefined ? '' : `event: ${event}\n`;
  const lines = data.includes('\n') ? data.split('\n').join('\ndata: ') : data;
  return `${named}data: ${lines}\n${id === undefined || of !== undefined ? '' : `id: ${id}\n`}\n`;
}

/** Ends the work when the token of its request expires. */
export function openLifetime(
  untilMs: number | undefined,
  { clock, work }: { clock: Clock; work: Work },
): Disposable | undefined {
  if (untilMs === undefined) return undefined;
  return openExpiryTimer(untilMs, { clock, over: () => work.stop('shutdown') });
}

function sayAlive(stream: SSEStreamingApi): Promise<unknown> {
  return stream.write(': still here\n\n');
}

/**
 * Sends comments until the stream ends, so that proxies do not close a silent connection. A client that does not read gets
 * none until it has read the last one.
 */
export async function keepAlive(
  say: () => Promise<unknown>,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(keepAliveMs, { signal });
      await untilAborted(say(), signal);
    }
  } catch (reason) {
    if (!signal.aborted) throw reason;
  }
}
