import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { catalogueRead, readsCatalogue } from '../catalogue/lookups.ts';
import type { CallId } from '../ids.ts';
import { coveredSkillsShown, keptHintChars } from '../limits.ts';
import { paths } from '../paths.ts';
import { clipInput } from '../render/clip-input.ts';
import { brief, gist, item, oneLine, quote } from '../render/text.ts';
import { type ShortNames, shortNames } from '../short-names.ts';
import { countTokens } from '../tokens.ts';
import type { CallView, MemoryRow, RoundView, TurnView, View } from '../view.ts';
import { roundsSaid } from './extract.ts';
import { fitRows, moreRow, rowText } from './fit.ts';
import { hasFailed, noRows, noteRow, resultHint, showsFile } from './memory-rows.ts';

type Covered = { readonly rounds: number; readonly progress: string; readonly tokensMax: number };

/** The text that replaces the first rounds of an open turn: the progress, then every call with the path of its result. */
export function coveredText(
  view: View,
  turn: TurnView,
  { rounds, progress, tokensMax }: Covered,
): string {
  const names = shortNames(view);
  const index = names.path(paths.turnIndex(turn.id));
  const covered = turn.rounds.slice(0, rounds);
  const head = item(
    'MID-TURN COMPACTION',
    [`rounds 1 to ${rounds} of ${names.turn(turn.id)}`],
    `(Your own earlier rounds of this turn, in short. The rounds below are newer: where they differ, they are right. Results are whole under their paths: react.read. All of the turn: ${index})\n\n${quote(progress)}${notesTold(turn, { rounds, tokensMax }, names)}${skillsRead(covered)}`,
  );
  const end = '[END OF MID-TURN COMPACTION]\n\n';
  const most = tokensMax - countTokens(head) - countTokens(end);
  const words = { names, said: roundsSaid(progress) };
  return `${head}${ledger(covered, { index, words, most })}${end}`;
}

/** Notes to self from the first rounds of a turn that are kept word for word: the pinned ones, then the newest. */
export function coveredNotes(
  turn: TurnView,
  { rounds, tokensMax }: Omit<Covered, 'progress'>,
): readonly MemoryRow[] {
  return fitRows({ ...noRows, notes: notesIn(turn, rounds) }, tokensMax).notes;
}

function notesIn(turn: TurnView, rounds: number): readonly MemoryRow[] {
  return turn.rounds.slice(0, rounds).flatMap(({ blocks }) => blocks.flatMap(noteRow));
}

function notesTold(turn: TurnView, covered: Omit<Covered, 'progress'>, names: ShortNames): string {
  const kept = coveredNotes(turn, covered);
  const left = notesIn(turn, covered.rounds).length - kept.length;
  const more = left > 0 ? [moreRow(left, names.path(paths.turnIndex(turn.id)))] : [];
  const rows = [
    ...kept.map(({ ref, text }) => rowText({ ref: names.path(ref), text })),
    ...more,
  ].map((row) => `\n- ${row}`);
  return rows.length === 0 ? '' : `\n\nNotes to self of these rounds:${rows.join('')}`;
}

/** Names the skills whose text is no longer in the prompt nor in a summary. */
function skillsRead(rounds: readonly RoundView[]): string {
  const read = new Set(rounds.flatMap(({ calls }) => calls.flatMap(catalogueRead)));
  const shown = [...read].slice(-coveredSkillsShown).join(', ');
  return read.size === 0
    ? ''
    : `\n\nRead in these rounds, out of sight now: ${shown} (react.read shows them again)`;
}

type Words = {
  readonly names: ShortNames;
  /** Rounds whose notes are in the progress. */
  readonly said: ReadonlySet<number>;
};

/** The row format for the calls of a round; its files are always listed. */
type Listing = { readonly done?: Row; readonly failed?: Row };

/**
 * Lists the files of every round first; then, from the newest on, successful calls, with full rows and, as space runs out,
 * short ones; failed calls only if all of that fits.
 */
function ledger(
  rounds: readonly RoundView[],
  { index, words, most }: { index: string; words: Words; most: number },
): string {
  const shown = new Map<RoundView, Listing>();
  const tokensOf = (round: RoundView, listing = shown.get(round)) =>
    listing ? countTokens(roundRows(round, words, listing)) : 0;
  let left = most - countTokens(unlistedText(['99 rounds', '99 calls', '99 failed calls'], index));
  const list = (round: RoundView, full: Listing, short = full): boolean => {
    const before = tokensOf(round);
    const listing = tokensOf(round, full) - before <= left / 2 ? full : short;
    const tokens = tokensOf(round, listing) - before;
    if (tokens > left) return false;
    shown.set(round, listing);
    left -= tokens;
    return true;
  };
  const newest = rounds.toReversed();
  const files = newest.filter(hasFile).every((round) => list(round, {}));
  const done = newest
    .filter(hasDone)
    .every((round) => list(round, { done: fullRow }, { done: shortRow }));
  if (files && done) {
    newest.filter(hasFailure).every((round) => {
      const { done: row = shortRow } = shown.get(round) ?? {};
      return list(round, { done: row, failed: fullRow }, { done: row, failed: shortRow });
    });
  }
  const listed = rounds.flatMap((round) => {
    const listing = shown.get(round);
    return listing ? [roundRows(round, words, listing)] : [];
  });
  return [...unlisted(rounds, shown, index), ...listed].join('');
}

function unlisted(
  rounds: readonly RoundView[],
  shown: ReadonlyMap<RoundView, Listing>,
  index: string,
): readonly string[] {
  const lacking = rounds.filter((round) => !shown.has(round)).length;
  const callsWithout = (kind: keyof Listing, isOfKind: (call: CallView) => boolean) =>
    rounds
      .filter((round) => shown.has(round) && !shown.get(round)?.[kind])
      .reduce((sum, { calls }) => sum + calls.filter(isOfKind).length, 0);
  const counts = [
    ...counted(lacking, 'round'),
    ...counted(
      callsWithout('done', (call) => !hasFailed(call)),
      'call',
    ),
    ...counted(callsWithout('failed', hasFailed), 'failed call'),
  ];
  return counts.length === 0 ? [] : [unlistedText(counts, index)];
}

function counted(count: number, what: string): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? `1 ${what}` : `${count} ${what}s`];
}

function unlistedText(counts: readonly string[], index: string): string {
  return `(not listed: ${counts.join(', ')}; see ${index})\n\n`;
}

function hasFile({ blocks }: RoundView): boolean {
  return blocks.some((block) => block.type !== 'react.code' && madeRow(block).length > 0);
}

/** False for a round in which every call failed; such rounds are listed last. */
function hasDone({ calls }: RoundView): boolean {
  return calls.length === 0 || !calls.every(hasFailed);
}

function hasFailure({ calls }: RoundView): boolean {
  return calls.some(hasFailed);
}

type Row = (call: CallView, names: ShortNames) => readonly string[];

function roundRows(round: RoundView, { names, said: inProgress }: Words, listing: Listing): string {
  const failed = new Set(round.calls.filter(hasFailed).map(({ call }) => call));
  const rowOf = (call: CallId | undefined) =>
    call !== undefined && failed.has(call) ? listing.failed : listing.done;
  const notes = round.blocks
    .flatMap(({ type, text = '' }) => (type === 'react.notes' ? text : []))
    .join(' · ');
  const made = round.blocks.filter(({ type, call }) => type !== 'react.code' || rowOf(call));
  const rows = [
    ...round.calls.flatMap((call) => rowOf(call.call)?.(call, names) ?? []),
    ...made.flatMap(madeRow).map(names.path),
  ];
  const isBare = !(listing.done || listing.failed);
  const isSaid = notes === '' || inProgress.has(round.number);
  const said = isSaid || isBare ? [] : [`notes: ${gist(notes, keptHintChars)}`];
  return `- round ${round.number} ${[...said, ...rows.map(oneLine)].join('\n  ')}\n\n`;
}

function fullRow(call: CallView, names: ShortNames): readonly string[] {
  const { request, result } = call;
  const tokens = countTokens(result?.text ?? '');
  const shape = shapeOf(result);
  return [
    `${call.tool} ${inputOf(call, names)}`,
    `→ ${names.path(paths.result(request.turn, call.call))} ${tokens} tokens${shape} ${hintOf(call)}`,
  ];
}

function shortRow(call: CallView, names: ShortNames): readonly string[] {
  const { tool, request } = call;
  const hint = brief(hintOf(call), keptHintChars / 4);
  return [`${names.path(paths.result(request.turn, call.call))} ${tool} → ${hint}`];
}

/** Omits the steps in a plan call, because they may have changed since. */
function inputOf({ tool, call, request }: CallView, names: ShortNames): string {
  const input = dataOf('react.tool.call', request)?.input ?? {};
  if (tool === 'react.plan') return String(input['mode'] ?? '');
  return brief(clipInput(input, names.path(paths.call(request.turn, call))), 2 * keptHintChars);
}

/**
 * A skill appears by its path, not by its beginning, which would look as if it were active. A plan appears by the path of
 * its last state.
 */
function hintOf(call: CallView): string {
  const plan = planOf(call);
  if (plan !== undefined) return paths.planLatest(plan);
  return readsCatalogue(call) ? catalogueRead(call).join(', ') : resultHint(call.result);
}

function planOf({ tool, result }: CallView): string | undefined {
  if (tool !== 'react.plan' || !result) return undefined;
  const ret = dataOf('react.tool.result', result)?.ret;
  const id = ret !== undefined && isJsonObject(ret) ? ret['plan_id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function shapeOf(result: Block | undefined): string {
  const shape = isJsonObject(result?.data) ? result.data['shape'] : undefined;
  return typeof shape === 'string' ? `, ${brief(shape, keptHintChars)}` : '';
}

const madeTypes: ReadonlySet<string> = new Set([
  'react.code',
  'artifact.file',
  'canvas',
  'assistant.completion',
]);

function madeRow(block: Block): readonly string[] {
  const { type, path, mime } = block;
  if (!madeTypes.has(type) || path === undefined || showsFile(block)) return [];
  return [`${path}${mime === undefined ? '' : ` (${mime})`}`];
}
