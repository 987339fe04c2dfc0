import type { Block } from '../../timeline/block.ts';
import { type ConversationKey, type Seq, toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { type Conversation, emptyConversation, resultsIn } from './conversation.ts';

/** Blocks of the whole log with `after < seq`, at most `limit`; blocks before the fork come from its ancestors. */
export function readLog(
  { row, parent, blocks }: Conversation,
  after: Seq,
  limit: number,
): readonly Block[] {
  const shared = sharedOf(row);
  const old =
    parent && after < shared ? readLog(parent, after, Math.min(limit, shared - after)) : [];
  const from = Math.max(0, after - shared);
  const own = blocks.slice(from, from + limit - old.length);
  return [...old.map((block) => ({ ...block, conversation: row.id })), ...own];
}

/** The newest block of the log, up to `upto`, that matches. */
export function newestIn(
  { row, parent, blocks }: Conversation,
  holds: (block: Block) => boolean,
  upto = row.head,
): Block | undefined {
  const own = blocks.findLast((block) => block.seq <= upto && holds(block));
  const found = own ?? (parent && newestIn(parent, holds, toSeq(Math.min(upto, sharedOf(row)))));
  return found && { ...found, conversation: row.id };
}

/** A conversation that continues from the block `at` of another. It copies no blocks; it reads them from the other. */
export function forkOf(
  from: Conversation,
  at: number,
  { key, id, nowMs }: { key: ConversationKey; id: string; nowMs: number },
): Conversation {
  const parent = writerOf(from, toSeq(at));
  const { tenant, project, user, title, lastAt } = from.row;
  const mark = newestIn(
    from,
    ({ type }) => type === 'turn.open' || type === 'turn.close',
    toSeq(at),
  );
  const openTurn = mark?.type === 'turn.open' ? mark.turn : undefined;
  const created = emptyConversation({ tenant, project, user }, { key, id, nowMs });
  const seqs = { head: at, reactive: at, answered: at, windowSeq: windowAt(from, at) };
  Object.assign(created.row, seqs, {
    title,
    openTurn,
    forkedFrom: { conversation: parent.row.id, seq: at },
    lastAt: lastAt > created.row.lastAt ? lastAt : created.row.lastAt,
  });
  for (const call of resultsIn(readLog(from, toSeq(0), at))) created.answeredCalls.add(call);
  return { ...created, parent, dueAtMs: openTurn === undefined ? undefined : nowMs };
}

/** The ancestor that wrote this block. */
export function writerOf(conversation: Conversation, seq: Seq): Conversation {
  const { row, parent } = conversation;
  return parent && seq <= sharedOf(row) ? writerOf(parent, seq) : conversation;
}

function windowAt({ row, parent, windows }: Conversation, at: number): number {
  const own = windows.findLast(({ seq }) => seq <= at)?.windowSeq;
  return own ?? (parent ? windowAt(parent, Math.min(at, sharedOf(row))) : 1);
}

/** Seq of the last block that comes from ancestors. */
export function sharedOf({ forkedFrom }: ConversationRow): number {
  return forkedFrom?.seq ?? 0;
}
