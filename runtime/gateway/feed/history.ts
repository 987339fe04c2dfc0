import { Refusal } from '../../base/refusal.ts';
import type { WireEnvelope } from '../../client/protocol/envelope.ts';
import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import { afterBlock, beginning, type Position, parseCursor } from './cursor.ts';
import { EnvelopeEncoder } from './envelope-encoder.ts';
import type { FollowedConversation } from './feed.ts';
import { feedPageMax, lastBlocksFirst, tailBlocksMax } from './limits.ts';
import { loadSources } from './load-sources.ts';

type Place = { readonly store: TimelineStore; readonly signal: AbortSignal };

/**
 * Where a subscription begins: `after` is a cursor or `now`; without it, at the beginning. Refusal `cursor_invalid`.
 */
export function startAt(row: FollowedConversation, after?: string): Position {
  if (after === undefined || after === '') return beginning;
  if (after === 'now') return afterBlock(row.head, Math.min(row.windowSeq, row.head + 1));
  const position = parseCursor(row.id, after);
  if (position && position.seq <= row.head) return position;
  throw new Refusal(
    'cursor_invalid',
    'cursor does not belong to this conversation; subscribe without a cursor',
  );
}

/** A cursor takes precedence over `tail`: it says what was already sent. */
export async function resolveStart(
  row: FollowedConversation,
  { after, tail: turns }: { after: string | undefined; tail: number | undefined },
  place: Place,
): Promise<Position> {
  if (turns === undefined || after !== undefined) return startAt(row, after);
  return startOfTail(row, { turns, until: row.head }, place);
}

/** Right before the last `turns` turns that opened up to `until`; at the beginning if there are fewer. */
export async function startOfTail(
  { key }: FollowedConversation,
  { turns, until }: { turns: number; until: number },
  { store, signal }: Place,
): Promise<Position> {
  const opened: number[] = [];
  let to = until;
  for (let read = 0; to > 0 && opened.length < turns && read < tailBlocksMax; read += feedPageMax) {
    const after = Math.max(0, to - feedPageMax);
    const page = await store.read(key, { after: toSeq(after), limit: to - after, signal });
    opened.push(
      ...page
        .filter(isOpening)
        .map(({ seq }) => seq)
        .toReversed(),
    );
    to = after;
  }
  // No turn opened within the blocks that were read: start at the first of them.
  const first = opened[turns - 1] ?? (to > 0 ? (opened.at(-1) ?? to + 1) : 1);
  return afterBlock(toSeq(first - 1), first);
}

function isOpening({ type }: Block): boolean {
  return type === 'turn.open';
}

/** The last block that a subscriber is sent, so that it knows when it has caught up; the head if it is sent none of the last ones. */
export async function lastSent(row: FollowedConversation, place: Place): Promise<number> {
  // Nearly always it is among the first few, and every subscription to a turn in progress asks for it.
  for (const blocks of [lastBlocksFirst, feedPageMax]) {
    const after = Math.max(0, row.head - blocks);
    const from = afterBlock(toSeq(after), after + 1);
    const sent = await readHistory(row, { from, to: afterBlock(row.head, 1) }, place);
    const last = sent.at(-1);
    if (last) return last.seq;
  }
  return row.head;
}

/** The envelopes of the blocks after `from` up to `to`, without their streams. */
export async function readHistory(
  row: FollowedConversation,
  { from, to }: { from: Position; to: Position },
  { store, signal }: Place,
): Promise<readonly WireEnvelope[]> {
  const encoder = new EnvelopeEncoder(row.id, from, row);
  const history: WireEnvelope[] = [];
  while (encoder.position.seq < to.seq) {
    const after = encoder.position.seq;
    const limit = Math.min(feedPageMax, to.seq - after);
    const page = await store.read(row.key, { after, limit, signal });
    for (const block of page) {
      await loadSources(encoder, block, { store, key: row.key, signal });
      const envelopes = encoder.block(block);
      history.push(...(block.seq === to.seq ? envelopes.slice(0, to.index + 1) : envelopes));
    }
    if (page.length === 0) break;
  }
  return history;
}
