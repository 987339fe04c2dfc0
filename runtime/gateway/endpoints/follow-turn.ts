import { addAbortListener } from 'node:events';
import { untilAborted, Work } from '../../base/signal.ts';
import { AnsweringTurn, isEnd } from '../../client/protocol/answering-turn.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import type { Position } from '../feed/cursor.ts';
import { type FeedDeps, openFeed } from '../feed/feed.ts';

type Following = {
  readonly row: ConversationRow;
  readonly start: Position;
  readonly turn: string;
  /** A message to the turn. If the turn ends without having read it, the next turn is followed as well. */
  readonly event?: string;
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
 * erased, the message was taken back, or the feed failed. Rejects when the signal fires or the client has gone; the turn goes on.
 */
export async function followTurn(
  deps: FeedDeps,
  { row, start, turn, event = '' }: Following,
  { signal, gone, each = () => undefined, until = () => false }: Options,
): Promise<WireEnvelope | undefined> {
  using work = new Work(signal);
  using _gone = gone && addAbortListener(gone, () => work.stop('shutdown'));
  let settle: (end: WireEnvelope | undefined) => void = () => undefined;
  const ended = new Promise<WireEnvelope | undefined>((resolve) => {
    settle = resolve;
  });
  const answering = new AnsweringTurn(event, turn);
  const send = (envelope: WireEnvelope) => {
    const {
      type,
      event: { step },
      turn_id,
      data = {},
    } = envelope;
    const isLast = answering.endsWith({ type, step, turn: turn_id, data });
    if (turn_id !== answering.id) return;
    each(envelope);
    if (isLast || until(envelope)) settle(isLast && !isEnd(type) ? undefined : envelope);
  };
  const sink = { send, ready: async () => undefined, end: () => settle(undefined) };
  await using _feed = openFeed(deps, row, { start, sink });
  return await untilAborted(ended, work.signal);
}
