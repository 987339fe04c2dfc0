import { addAbortListener } from 'node:events';
import { untilAborted, Work } from '../../base/signal.ts';
import { openFeed } from '../feed/feed.ts';
import type { HttpParts } from '../http/context.ts';
import { answerWaitMs } from '../http/limits.ts';
import type { SseFrame } from '../projections/projection.ts';
import { TurnFrames } from '../projections/turn-frames.ts';
import { startOfTurn, type TurnStream } from './turn-stream.ts';

/**
 * The frames of a turn in the words of another protocol, once it has ended or waits for its client. Undefined if that has
 * not happened after `answerWaitMs`, or if the client has `gone`.
 */
export async function readTurn(
  { deps, closing: signal }: Pick<HttpParts, 'deps' | 'closing'>,
  { row, after, kind, event }: TurnStream,
  { gone }: { readonly gone: AbortSignal },
): Promise<readonly SseFrame[] | undefined> {
  using work = new Work(signal, { deadlineMs: answerWaitMs });
  using _gone = addAbortListener(gone, () => work.stop('shutdown'));
  const start = startOfTurn(after.position);
  const turn = new TurnFrames(row.id, { start, after, kind, event });
  const isOver = () => turn.isOver;
  const frames: SseFrame[] = [];
  let settle: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const sink = {
    send: (envelope: Parameters<TurnFrames['take']>[0]) => {
      if (isOver()) return;
      frames.push(...turn.take(envelope));
      if (isOver()) settle();
    },
    ready: async () => undefined,
    end: () => settle(),
  };
  await using _feed = openFeed(deps, row, { start, sink });
  try {
    await untilAborted(ended, work.signal);
    return isOver() ? frames : undefined;
  } catch (reason) {
    if (signal.aborted) throw reason;
    return undefined;
  }
}
