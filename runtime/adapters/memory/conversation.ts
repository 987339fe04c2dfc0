import { invariant } from '../../base/assert.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import type { Append, Appended, ConversationRow } from '../../timeline/store.ts';
import { fromBody, toBody } from '../../timeline/stored.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** One row and its log, as the SQL store keeps it. Times of the lease are milliseconds of the clock. */
export type Conversation = {
  readonly row: Writable<ConversationRow>;
  readonly blocks: Block[];
  /** Turns that have their `turn.close`, calls that have their result. */
  readonly closed: Set<string>;
  readonly answeredCalls: Set<string>;
  fence: number;
  leasedUntilMs: number | undefined;
  attempts: number;
  dueAtMs: number | undefined;
  last: { op: string; status: 'ok' | 'deferred'; firstSeq: number } | undefined;
};

/** The owner's write, all or nothing: whatever it refuses or finds broken, nothing has changed. */
export function appendTo(conversation: Conversation, request: Append, nowMs: number): Appended {
  const { row, fence, leasedUntilMs, last } = conversation;
  const { asOf, gate, expectHead } = request;
  if (fence !== request.fence || leasedUntilMs === undefined) return reply(row, 'fenced', 0);
  if (last?.op === request.op) return reply(row, last.status, last.firstSeq);
  if (expectHead !== undefined && row.head !== expectHead) return reply(row, 'moved', 0);
  const held = gate !== undefined && asOf !== undefined && row.reactive > asOf;
  if (held && gate === 0) return reply(row, 'moved', 0);
  const drafts = held ? request.blocks.slice(0, gate) : request.blocks;
  checkLegal(conversation, drafts, asOf);
  const firstSeq = row.head + 1;
  write(conversation, drafts, nowMs);
  settle(conversation, { drafts, firstSeq, asOf, nowMs });
  conversation.last = { op: request.op, status: held ? 'deferred' : 'ok', firstSeq };
  return reply(row, conversation.last.status, firstSeq);
}

export function write(
  { row, blocks }: Conversation,
  drafts: readonly Draft[],
  nowMs: number,
): void {
  const at = new Date(nowMs).toISOString();
  for (const draft of drafts) {
    row.head += 1;
    const { type, turn, path, call } = draft;
    const place = { conversation: row.id, seq: row.head, turn, at, type };
    const names = { ...(path !== undefined && { path }), ...(call !== undefined && { call }) };
    blocks.push(fromBody({ ...place, ...names }, toBody(draft)));
  }
  row.lastAt = at;
}

/** I4: a turn opens and closes once, a call has one result. */
function checkLegal(
  { row, closed, answeredCalls }: Conversation,
  drafts: readonly Draft[],
  asOf: number | undefined,
): void {
  const opening = drafts.filter(({ type }) => type === 'turn.open');
  invariant(opening.length === 0 || row.openTurn === undefined, 'one turn is open at a time');
  const closing = drafts.filter(({ type }) => type === 'turn.close');
  invariant(opening.length + closing.length <= 1, 'an append opens or closes one turn');
  for (const { turn } of closing) {
    invariant(row.openTurn === turn && asOf !== undefined, 'a close names the open turn and asOf');
    invariant(!closed.has(turn), 'a turn closes once');
  }
  const answered = answeredBy(drafts);
  const fresh = new Set(answered).size === answered.length;
  invariant(fresh && !answered.some((call) => answeredCalls.has(call)), 'a call has one result');
}

function answeredBy(drafts: readonly Draft[]): readonly string[] {
  return drafts.flatMap(({ type, call }) =>
    type === 'react.tool.result' && call !== undefined ? [call] : [],
  );
}

type Settled = {
  drafts: readonly Draft[];
  firstSeq: number;
  asOf: number | undefined;
  nowMs: number;
};

function settle(conversation: Conversation, { drafts, firstSeq, asOf = 0, nowMs }: Settled): void {
  const { row } = conversation;
  const has = (type: string) => drafts.some((draft) => draft.type === type);
  const opening = drafts.find(({ type }) => type === 'turn.open');
  const compacted = drafts.findIndex(({ type }) => type === 'view.compact');
  if (compacted >= 0) row.windowSeq = firstSeq + compacted;
  if (opening) {
    row.openTurn = opening.turn;
    conversation.dueAtMs ??= nowMs;
  }
  if (has('turn.close') || has('round.close')) conversation.attempts = 0;
  for (const call of answeredBy(drafts)) conversation.answeredCalls.add(call);
  if (row.openTurn !== undefined && has('turn.close')) {
    conversation.closed.add(row.openTurn);
    row.openTurn = undefined;
    row.answered = Math.max(row.answered, asOf);
    conversation.dueAtMs = row.reactive > asOf ? nowMs : undefined;
  }
}

function reply(row: ConversationRow, status: Appended['status'], firstSeq: number): Appended {
  const { head, reactive, steer, openTurn } = row;
  return { status, firstSeq, head, reactive, steer, openTurn };
}
