import type { Draft } from '../../../timeline/block.ts';
import { missedBlocksMax } from '../../../timeline/limits.ts';
import type { AppendRequest } from '../../../timeline/ports/append-request.ts';
import type { AcceptRequest, ConversationRow } from '../../../timeline/ports/store.ts';
import { eventTypes, toBody } from '../../../timeline/ports/store-rules.ts';
import { toIndexedText, toSnippet } from '../../../timeline/search/snippet.ts';
import type { Param } from '../database/database.ts';

type Column = readonly (string | null)[] | null;

/** Drafts as the parallel arrays that the SQL functions take. */
export type DraftColumns = {
  readonly types: readonly string[];
  readonly turns: readonly string[];
  readonly paths: Column;
  readonly calls: Column;
  readonly bodies: readonly string[];
  readonly targets: Column;
  readonly words: Column;
};

export function toColumns(drafts: readonly Draft[]): DraftColumns {
  const snippets = drafts.map(toSnippet);
  return {
    types: drafts.map(({ type }) => type),
    turns: drafts.map(({ turn }) => turn),
    paths: toColumn(drafts.map(({ path }) => path)),
    calls: toColumn(drafts.map(({ call }) => call)),
    bodies: drafts.map(toBody),
    targets: toColumn(snippets.map((snippet) => snippet?.target)),
    words: toColumn(snippets.map((snippet) => snippet && toIndexedText(snippet))),
  };
}

/** A column without values is null as a whole, which the functions need not unpack. */
function toColumn(values: readonly (string | undefined)[]): Column {
  const isEmpty = values.every((value) => value === undefined);
  return isEmpty ? null : values.map((value) => value ?? null);
}

export function appendParams(
  key: ConversationRow['key'],
  request: AppendRequest,
  { types, turns, paths, calls, bodies, targets, words }: DraftColumns,
): readonly Param[] {
  const { fence, op, asOf = null, gate = null, expectHead = null } = request;
  const { window = null, dueInMs = null, knownHead = null } = request;
  const drafts = [types, turns, paths, calls, bodies, targets, words];
  const rules = [asOf, gate, expectHead, window, dueInMs, knownHead, missedBlocksMax];
  return [key, fence, op, ...drafts, ...rules];
}

/** Types whose append changes more than the log and its head. */
const withMore: ReadonlySet<string> = new Set([
  ...['turn.open', 'turn.close', 'round.close', 'react.tool.result'],
]);

/** Parameters of `timeline_append_plain`; undefined if this append needs `timeline_append`. */
export function plainAppendParams(
  key: ConversationRow['key'],
  request: AppendRequest,
  { types, turns, paths, calls, bodies, targets }: DraftColumns,
): readonly Param[] | undefined {
  const { fence, op, gate, expectHead, window, dueInMs, knownHead = null } = request;
  const rules = [gate, expectHead, window, dueInMs];
  const isPlain = targets === null && rules.every((rule) => rule === undefined);
  if (!isPlain || types.some((type) => withMore.has(type))) return undefined;
  const hasBlobs = bodies.some((body) => body.includes('"sha256:'));
  const drafts = [types, turns, paths, calls, bodies];
  return [key, fence, op, knownHead, missedBlocksMax, ...drafts, hasBlobs];
}

export function acceptParams(request: AcceptRequest): readonly Param[] {
  const { sender, message, digest, reactive, newTurn, turnData, events } = request;
  const { conversation = request.newConversation, expectTurn = null, needsTurn = false } = request;
  const { types, paths, calls, bodies, targets, words } = toColumns(events);
  const open = { type: 'turn.open', turn: newTurn, author: 'system' } as const;
  const openBody = toBody(turnData === undefined ? open : { ...open, data: turnData });
  const names = [sender.tenant, sender.project, sender.user, conversation, message, digest];
  const drafts = [types, paths, calls, bodies, targets, words];
  const turn = [reactive, newTurn, openBody, expectTurn, needsTurn];
  const joining = [
    toColumn(events.map(({ joining }) => joining?.type)),
    toColumn(events.map(({ joining }) => joining?.path)),
  ];
  return [...names, ...drafts, eventTypes, ...turn, ...joining];
}
