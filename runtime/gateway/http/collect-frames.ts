import { addAbortListener } from 'node:events';
import type { Context } from 'hono';
import { Scope } from '../../base/scope.ts';
import { Work } from '../../base/signal.ts';
import { openFeed, type Sink } from '../feed/feed.ts';
import type { Env, HttpParts } from './context.ts';
import type { Frame, FrameResponse, FrameSource } from './frame-stream.ts';
import { polledFramesMax } from './limits.ts';

/**
 * The next events of a conversation as a list: what has happened so far, or the first that happens within the time. An empty
 * list: nothing has happened.
 */
export async function collectFrames(
  context: Context<Env>,
  { deps, closing }: Pick<HttpParts, 'deps' | 'closing'>,
  { source, waitMs }: { readonly source: FrameSource; readonly waitMs: number },
): Promise<readonly Frame[]> {
  using work = new Work(closing);
  using _here = deps.presence?.enter();
  using _gone = addAbortListener(context.req.raw.signal, () => work.stop('shutdown'));
  const frames: Frame[] = [];
  let isCaughtUp = false;
  let caught: () => void = () => undefined;
  const caughtUp = new Promise<void>((resolve) => {
    caught = resolve;
  });
  let isFull = false;
  let over: () => void = () => undefined;
  const settled = new Promise<void>((resolve) => {
    over = resolve;
  });
  const settle = () => {
    isFull ||= frames.length >= polledFramesMax || source.isOver === true;
    if (isFull || (isCaughtUp && frames.length > 0)) over();
  };
  const send = (toFrames: () => readonly Frame[]) => {
    if (isFull) return;
    frames.push(...toFrames());
    settle();
  };
  const ready = async () => undefined;
  await using feeds = new Scope();
  const follow: FrameResponse['follow'] = ({ row, start, take }) => {
    const sink: Sink = { ready, send: (one) => send(() => take(one)), end: () => undefined };
    feeds.own(openFeed(deps, row, { start, sink }));
  };
  source.attach?.({ follow, write: send, signal: work.signal });
  const sink: Sink = {
    ready,
    send: (envelope) => send(() => source.take(envelope)),
    caughtUp: () => {
      isCaughtUp = true;
      send(() => source.caughtUp?.() ?? []);
      caught();
    },
    end: () => {
      caught();
      over();
    },
  };
  feeds.own(openFeed(deps, source.row, { start: source.start, sink }));
  const late = deps.clock.sleep(waitMs, { signal: work.signal }).catch(() => undefined);
  await Promise.race([settled, Promise.all([caughtUp, late])]);
  work.stop('shutdown');
  await late;
  closing.throwIfAborted();
  return frames;
}
