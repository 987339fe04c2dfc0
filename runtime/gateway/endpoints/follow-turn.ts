import { addAbortListener } from 'node:events';
import { untilAborted, Work } from '../../base/signal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import type { Position } from '../feed/cursor.ts';
import { type FeedDeps, openFeed } from '../feed/feed.ts';

type Following = {
  readonly row: ConversationRow;
  readonly start: Position;
  readonly turn: string;
};

type Options = {
  readonly signal: AbortSignal;
  /** The client has disconnected. */
  readonly gone?: AbortSignal;
  each?(envelope: WireEnvelope): void;
  /** An earlier event that ends the wait. */
  until?(envelope: WireEnvelope): boolean;
};

/**
 * Follows a conversation until the turn has ended, and returns the event of that end. Undefined: the conversation was
 * erased, or the feed failed. Rejects when the signal fires or the client has gone; the turn goes on.
 */
export async function followTurn(
  deps: FeedDeps,
  { row, start, turn }: Following,
  { signal, gone, each = () => undefined, until = () => false }: Options,
): Promise<WireEnvelope | undefined> {
  using work = new Work(signal);
  using _gone = gone && addAbortListener(gone, () => work.stop('shutdown'));
  let settle: (end: WireEnvelope | undefined) => void = () => undefined;
  const ended = new Promise<WireEnvelope | undefined>((resolve) => {
    settle = resolve;
  });
  const send = (envelope: WireEnvelope) => {
    if (envelope.turn_id !== turn) return;
    each(envelope);
    if (isEnd(envelope) || until(envelope)) settle(envelope);
  };
  const sink = { send, ready: async () => undefined, end: () => settle(undefined) };
  await using _feed = openFeed(deps, row, { start, sink });
  return await untilAborted(ended, work.signal);
}

function isEnd({ type }: WireEnvelope): boolean {
  return type === 'chat.complete' || type === 'chat.error';
}
