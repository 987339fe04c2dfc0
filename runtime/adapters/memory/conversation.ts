import { invariant } from '../../base/assert.ts';
import type { Block, Draft } from '../../timeline/block.ts';
import {
  type ConversationKey,
  type Seq,
  type TurnId,
  toSeq,
  turnToChoose,
} from '../../timeline/ids.ts';
import { missedBlocksMax } from '../../timeline/limits.ts';
import { toBlockPath } from '../../timeline/paths.ts';
import type { AppendRequest, AppendResult } from '../../timeline/ports/append-request.ts';
import type {
  AcceptRequest,
  ConversationRow,
  ProgramCall,
  ProjectScope,
  Sender,
} from '../../timeline/ports/store.ts';
import { fromBody, toBody } from '../../timeline/ports/store-rules.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A conversation's row and log, as in the SQL store. Lease times are milliseconds of the clock. */
export type Conversation = {
  readonly row: Writable<ConversationRow>;
  /** The conversation's own blocks; a fork reads shared blocks from `parent`. */
  readonly blocks: Block[];
  readonly parent: Conversation | undefined;
  /** Turns with a `turn.close`, and calls with a result. */
  readonly closed: Set<string>;
  readonly answeredCalls: Set<string>;
  /** Calls of programs without a result, by program and call id. */
  readonly programs: Map<string, Map<string, ProgramCall>>;
  /** Whether a bundle opened it and chose its id. */
  opened: boolean;
  fence: number;
  leasedUntilMs: number | undefined;
  attempts: number;
  dueAtMs: number | undefined;
  /** Events up to here wait, with the turn, until `dueAtMs`. */
  parked: number | undefined;
  /** What `row.windowSeq` was, from each seq on. */
  readonly windows: { readonly seq: Seq; readonly windowSeq: Seq }[];
  /** Set once it is erased: no longer found, but forks read the shared blocks. */
  erasedAtMs: number | undefined;
  last: { op: string; status: 'ok' | 'deferred'; firstSeq: number } | undefined;
};

export function emptyConversation(
  { tenant, project, user }: Sender,
  { key, id, nowMs }: { key: ConversationKey; id: string; nowMs: number },
): Conversation {
  const at = new Date(nowMs).toISOString();
  const none = toSeq(0);
  const seqs = { head: none, reactive: none, answered: none, steer: none, windowSeq: toSeq(1) };
  const names = {
    tenant,
    project,
    user,
    key,
    id,
    title: undefined,
    openTurn: undefined,
    pinned: false,
  };
  return {
    row: { ...names, ...seqs, createdAt: at, lastAt: at },
    blocks: [],
    parent: undefined,
    closed: new Set(),
    answeredCalls: new Set(),
    programs: new Map(),
    opened: false,
    fence: 0,
    leasedUntilMs: undefined,
    attempts: 0,
    dueAtMs: undefined,
    parked: undefined,
    windows: [],
    erasedAtMs: undefined,
    last: undefined,
  };
}

/** The conversation with this id of any user: the one that a bundle opened, or else the oldest. */
export function oldestOf(
  conversations: readonly Conversation[],
  { tenant, project }: ProjectScope,
  id: string,
): Conversation | undefined {
  const found = conversations
    .filter(({ row }) => row.id === id && row.tenant === tenant && row.project === project)
    .filter(({ erasedAtMs }) => erasedAtMs === undefined);
  return found.find(({ opened }) => opened) ?? found[0];
}

/** The owner's write. Atomic: if it is refused or invalid, nothing changes. */
export function appendTo(
  conversation: Conversation,
  request: AppendRequest,
  nowMs: number,
): AppendResult {
  const { row, fence, leasedUntilMs, last } = conversation;
  const { asOf, gate, expectHead, knownHead } = request;
  if (fence !== request.fence || leasedUntilMs === undefined) return reply(row, 'fenced', 0);
  if (last?.op === request.op) return reply(row, last.status, last.firstSeq);
  const moved = () => ({
    ...reply(row, 'moved', 0),
    ...blocksAfter(conversation, knownHead, row.head),
  });
  if (expectHead !== undefined && row.head !== expectHead) return moved();
  const held = gate !== undefined && asOf !== undefined && row.reactive > asOf;
  if (held && gate === 0) return moved();
  const granted = held ? hold(request, gate) : request;
  checkLegal(conversation, granted);
  const before = row.head;
  const firstSeq = before + 1;
  write(conversation, granted.blocks, nowMs);
  narrow(conversation, granted, firstSeq);
  settle(conversation, granted, nowMs);
  const status = held ? 'deferred' : 'ok';
  conversation.last = { op: request.op, status, firstSeq };
  return { ...reply(row, status, firstSeq), ...blocksAfter(conversation, knownHead, before) };
}

/** The blocks after the known ones. `before`: the head before the write. */
function blocksAfter(
  { row, blocks }: Conversation,
  known: Seq | undefined,
  before: Seq,
): Pick<AppendResult, 'blocks'> {
  const shared = row.forkedFrom?.seq ?? 0;
  if (known === undefined || known < shared || known > before) return {};
  return before - known > missedBlocksMax ? {} : { blocks: blocks.slice(known - shared) };
}

export function write(
  { row, blocks }: Conversation,
  drafts: readonly Draft[],
  nowMs: number,
): void {
  const now = new Date(nowMs).toISOString();
  // A clock that is set back must not reorder the log.
  const at = now > row.lastAt ? now : row.lastAt;
  for (const draft of drafts) {
    row.head = toSeq(row.head + 1);
    const { type, turn, path, call } = draft;
    const place = { conversation: row.id, seq: row.head, turn, at, type };
    const names = { ...(path !== undefined && { path }), ...(call !== undefined && { call }) };
    blocks.push(fromBody({ ...place, ...names }, toBody(draft)));
  }
  row.lastAt = at;
}

/** The part of a write before the gate; a window is held back with the block that declares it. */
function hold({ window: _, ...request }: AppendRequest, gate: number | undefined): AppendRequest {
  return { ...request, blocks: request.blocks.slice(0, gate) };
}

/** I4: a turn opens and closes once, a call has one result. */
function checkLegal(conversation: Conversation, { blocks, asOf, window }: AppendRequest): void {
  const { row, closed, answeredCalls } = conversation;
  const head = row.head + blocks.length;
  const starts = window === undefined || (blocks.length > 0 && window >= 1 && window <= head);
  invariant(starts, 'a window starts at a written block');
  const opening = blocks.filter(({ type }) => type === 'turn.open');
  invariant(opening.length === 0 || row.openTurn === undefined, 'one turn is open at a time');
  const closing = blocks.filter(({ type }) => type === 'turn.close');
  invariant(opening.length + closing.length <= 1, 'an append opens or closes one turn');
  for (const { turn } of closing) {
    invariant(row.openTurn === turn && asOf !== undefined, 'a close names the open turn and asOf');
    invariant(!closed.has(turn), 'a turn closes once');
  }
  const answered = resultsIn(blocks);
  const fresh = new Set(answered).size === answered.length;
  invariant(fresh && !answered.some((call) => answeredCalls.has(call)), 'a call has one result');
}

/** Calls whose result is among the drafts. */
export function resultsIn(drafts: readonly Draft[]): readonly string[] {
  return drafts.flatMap(({ type, call }) =>
    type === 'react.tool.result' && call !== undefined ? [call] : [],
  );
}

/** A window is valid from the block that declares it. */
function narrow(
  { row, windows }: Conversation,
  { blocks, window }: AppendRequest,
  first: number,
): void {
  if (window === undefined) return;
  const declared = blocks.findIndex(({ type }) => type === 'view.compact');
  windows.push({ seq: toSeq(first + Math.max(0, declared)), windowSeq: window });
  row.windowSeq = window;
}

function settle(conversation: Conversation, request: AppendRequest, nowMs: number): void {
  const { blocks: drafts, asOf = 0 } = request;
  const { row } = conversation;
  const has = (type: string) => drafts.some((draft) => draft.type === type);
  const opening = drafts.find(({ type }) => type === 'turn.open');
  if (opening) row.openTurn = opening.turn;
  if (has('turn.close') || has('round.close')) conversation.attempts = 0;
  for (const call of resultsIn(drafts)) {
    conversation.answeredCalls.add(call);
    conversation.programs.delete(call);
  }
  if (row.openTurn !== undefined && has('turn.close')) {
    conversation.closed.add(row.openTurn);
    row.openTurn = undefined;
    row.answered = toSeq(Math.max(row.answered, asOf));
    conversation.parked = undefined;
    conversation.dueAtMs = row.reactive > asOf ? nowMs : undefined;
    return;
  }
  park(conversation, request, nowMs);
  if (opening) conversation.dueAtMs ??= nowMs;
}

/** Parks the turn, or resumes a parked one, and says when the sweep looks at it again. */
function park(
  conversation: Conversation,
  { blocks, asOf = toSeq(0), dueInMs }: AppendRequest,
  nowMs: number,
): void {
  const { row, parked, dueAtMs } = conversation;
  // Progress ends the back-off of the sweep.
  const hasProgress = blocks.some(({ type }) => type === 'round.close');
  conversation.parked = dueInMs === undefined ? undefined : asOf;
  if (dueInMs !== undefined && row.reactive <= asOf) conversation.dueAtMs = nowMs + dueInMs;
  else if (dueInMs !== undefined || parked !== undefined || hasProgress) {
    conversation.dueAtMs = Math.min(dueAtMs ?? nowMs, nowMs);
  }
}

function reply(
  row: ConversationRow,
  status: AppendResult['status'],
  firstSeq: number,
): AppendResult {
  const { head, reactive, steer, openTurn } = row;
  return { status, firstSeq: toSeq(firstSeq), head, reactive, steer, openTurn };
}

export function toTurnOpen({ turnData: data }: AcceptRequest, turn: TurnId): Draft {
  return { turn, type: 'turn.open', author: 'system', ...(data !== undefined && { data }) };
}

/** Puts an event into the turn chosen for it. */
export function placeInTurn(event: Draft, turn: TurnId): Draft {
  const path = event.path?.replaceAll(turnToChoose, () => turn);
  return { ...event, turn, ...(path !== undefined && { path: toBlockPath(path) }) };
}
