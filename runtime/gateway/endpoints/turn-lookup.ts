import type { JsonObject } from '../../base/json.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import { type Seq, type TurnId, toSeq } from '../../timeline/ids.ts';
import type { ConversationRow, Sender, TimelineStore } from '../../timeline/ports/store.ts';
import { afterBlock } from '../feed/cursor.ts';
import { readHistory } from '../feed/history.ts';
import { feedPageMax } from '../feed/limits.ts';
import { objectOf } from '../feed/wire-json.ts';

type TurnExtent = {
  readonly first: Seq;
  readonly last: Seq;
  readonly options: JsonObject;
};
type Place = { readonly store: TimelineStore; readonly signal: AbortSignal };

/** The user's conversation in which a turn ran, found by the id of the turn alone. */
export async function conversationOfTurn(
  sender: Sender,
  turn: TurnId,
  { store, signal }: Place,
): Promise<ConversationRow | undefined> {
  const query = { targets: [], only: [turn], order: 'asc', offset: 0, limit: 1 } as const;
  const { rows } = await store.turns(sender, query, { signal });
  const [found] = rows;
  return found && store.find(sender, found.conversation, { signal });
}

/** Seqs of the first and the last block of a turn, and its options. The last one is the head while it is open. Reads from the end. */
export async function extentOfTurn(
  row: ConversationRow,
  turn: TurnId,
  { store, signal }: Place,
): Promise<TurnExtent | undefined> {
  let last = row.head;
  for (let to: number = row.head; to > 0; to -= feedPageMax) {
    const after = Math.max(0, to - feedPageMax);
    const page = await store.read(row.key, { after: toSeq(after), limit: to - after, signal });
    const own = page.filter((block) => block.turn === turn);
    last = own.find(({ type }) => type === 'turn.close')?.seq ?? last;
    const open = own.find(({ type }) => type === 'turn.open');
    if (open) return { first: open.seq, last, options: objectOf(objectOf(open.data)['options']) };
  }
  return undefined;
}

/** The envelopes of a turn so far, without its streams. */
export async function readTurnEnvelopes(
  row: ConversationRow,
  turn: TurnId,
  place: Place,
): Promise<readonly WireEnvelope[]> {
  const extent = await extentOfTurn(row, turn, place);
  if (!extent) return [];
  const { first, last } = extent;
  const from = afterBlock(toSeq(first - 1), first);
  return readHistory(row, { from, to: afterBlock(last, first) }, place);
}
