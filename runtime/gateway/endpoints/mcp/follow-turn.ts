import { untilAborted } from '../../../base/signal.ts';
import type { WireEnvelope } from '../../../client/protocol/envelope.ts';
import type { ConversationRow } from '../../../timeline/ports/store.ts';
import type { Position } from '../../feed/cursor.ts';
import { type FeedDeps, openFeed } from '../../feed/feed.ts';

type Following = {
  readonly row: ConversationRow;
  readonly start: Position;
  readonly turn: string;
};

/**
 * Follows a conversation until the turn has ended, and returns the event of that end. Undefined: the conversation was
 * erased, or the feed failed. Rejects when the signal fires; the turn goes on.
 */
export async function followTurn(
  deps: FeedDeps,
  { row, start, turn }: Following,
  { signal, each = () => undefined }: { signal: AbortSignal; each?(envelope: WireEnvelope): void },
): Promise<WireEnvelope | undefined> {
  let settle: (end: WireEnvelope | undefined) => void = () => undefined;
  const ended = new Promise<WireEnvelope | undefined>((resolve) => {
    settle = resolve;
  });
  const send = (envelope: WireEnvelope) => {
    if (envelope.turn_id !== turn) return;
    each(envelope);
    if (envelope.type === 'chat.complete' || envelope.type === 'chat.error') settle(envelope);
  };
  const sink = { send, ready: async () => undefined, end: () => settle(undefined) };
  await using _feed = openFeed(deps, row, { start, sink });
  return await untilAborted(ended, signal);
}
