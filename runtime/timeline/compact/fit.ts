import { keptEventsWhole, keptHintChars, keptNotesMax, keptTurnChars } from '../limits.ts';
import { brief, oneLine } from '../render/text.ts';
import { countTokens } from '../tokens.ts';
import type { MemoryRow } from '../view.ts';
import { internalMark, type MemoryLists } from './memory-rows.ts';

/**
 * The rows that fit: for each kind the important ones first, then the newest. A failed call has a row only if every file
 * and every successful call has one.
 */
export function fitRows(rows: MemoryLists, tokensMax: number): MemoryLists {
  const room = { left: tokensMax };
  const keep = (kind: keyof MemoryLists, fitted: (most: number) => readonly MemoryRow[]) => {
    const kept = fitted(Math.min(room.left, Math.floor(tokensMax * shares[kind])));
    room.left -= tokensOf(kept) + (kept.length < rows[kind].length ? countTokens(moreLine) : 0);
    return kept;
  };
  const events = olderAsRefs(rows.events);
  const successes = rows.results.filter((row) => !isFailure(row));
  const work = {
    notes: keep('notes', (most) => keepFirst(someNotes(rows.notes), { most, first: isPinnedNote })),
    skills: keep('skills', (most) => newestWithin(rows.skills, most)),
    files: keep('files', (most) => fitFiles(rows.files, most)),
    events: keep('events', (most) => newestWithin(events, most)),
    turns: keep('turns', (most) => fitTurns(rows.turns, most)),
    results: keep('results', (most) => keepFirst(successes, { most, first: isComputed })),
  };
  const files = withNamed(rows.files, { kept: work.files, room });
  const plans = keep('plans', (most) => newestWithin(rows.plans, most));
  const earlier = keep('earlier', (most) => newestWithin(rows.earlier, most));
  const isWhole =
    files.length === ranked(rows.files).length && work.results.length === successes.length;
  const failures = isWhole ? newestWithin(rows.results.filter(isFailure), room.left) : [];
  return { ...work, files, plans, earlier, results: [...work.results, ...failures] };
}

const lineEnd = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

export function rowText({ ref, text }: MemoryRow): string {
  const named = oneLine(ref);
  return text === '' ? named : `${named} ${text.replaceAll(lineEnd, '\n  ')}`;
}

/** The last row of a shortened list. */
export function moreRow(count: number, where: string): string {
  return `… ${count} more in ${where}`;
}

export const memoryPathHint = 'the su: path above';
const moreLine = `- ${moreRow(999, memoryPathHint)}\n`;

export function isPinned(line: string): boolean {
  return /^\s*(?:[-*]\s+)?\[P\]/.test(line);
}

/** Whether a path is an attachment of a prompt or of a later event. */
export function isAttachment(path: string): boolean {
  return /^fi:[^/]*\.attachments\//.test(path);
}

/** Maximum share of the available tokens for each kind; the sum exceeds 1. */
const shares = {
  notes: 0.35,
  events: 0.25,
  turns: 0.4,
  files: 0.2,
  skills: 0.1,
  results: 0.3,
  plans: 0.15,
  earlier: 0.1,
} as const;

type Keeping = { readonly most: number; readonly first: (row: MemoryRow) => boolean };

/** Rows that match `first` are dropped last and are placed before the others. */
function keepFirst(rows: readonly MemoryRow[], { most, first }: Keeping): readonly MemoryRow[] {
  const kept = newestWithin(rows.filter(first), most);
  const others = rows.filter((row) => !first(row));
  return [...kept, ...newestWithin(others, most - tokensOf(kept))];
}

/** All turns by name and first words, with the first turn always included; then full rows, from the newest on. */
function fitTurns(rows: readonly MemoryRow[], most: number): readonly MemoryRow[] {
  const short = rows.map((row) => ({ ...row, text: brief(row.text, keptTurnChars) }));
  const first = newestWithin(short.slice(0, 1), most);
  if (first.length === 0) return [];
  const late = newestWithin(short.slice(1), most - tokensOf(first));
  const fitted = [...first, ...late];
  const whole = [...rows.slice(0, 1), ...rows.slice(rows.length - late.length)];
  let left = most - tokensOf(fitted);
  for (const [index, row] of [...whole.entries()].reverse()) {
    left -= tokensOf([row]) - tokensOf(fitted.slice(index, index + 1));
    if (left < 0) break;
    fitted[index] = row;
  }
  return fitted;
}

/** Attachments and delivered files may use all remaining tokens before one of them is dropped. */
function withNamed(
  rows: readonly MemoryRow[],
  { kept, room }: { readonly kept: readonly MemoryRow[]; readonly room: { left: number } },
): readonly MemoryRow[] {
  const named = ranked(rows).filter(({ place }) => place < 2);
  const lacks = (files: readonly MemoryRow[]) => {
    const refs = new Set(files.map(({ ref }) => ref));
    return named.some(({ row }) => !refs.has(row.ref));
  };
  if (!lacks(kept)) return kept;
  const most = room.left + tokensOf(kept);
  const files = fitFiles(rows, most);
  room.left = lacks(files) ? 0 : most - tokensOf(files);
  return files;
}

/**
 * Attachments first, then delivered files, then the rest; each from the newest on. A full row while it takes at most half
 * of the remaining tokens, else only the path.
 */
function fitFiles(rows: readonly MemoryRow[], most: number): readonly MemoryRow[] {
  const kept = new Map<MemoryRow, MemoryRow>();
  let left = most;
  for (const { row } of ranked(rows)) {
    const fitted =
      tokensOf([row]) <= left / 2 ? row : { ...row, text: isInternal(row) ? internalMark : '' };
    left -= tokensOf([fitted]);
    if (left < 0) break;
    kept.set(row, fitted);
  }
  const shown = rows.flatMap((row) => kept.get(row) ?? []);
  return [...shown.filter(isSent), ...shown.filter((row) => !isSent(row))];
}

type Ranked = { readonly row: MemoryRow; readonly place: number };

function ranked(rows: readonly MemoryRow[]): readonly Ranked[] {
  const newer = new Set<string>();
  return rows
    .toReversed()
    .flatMap((row) => {
      const place = placeOf(row, newer);
      return place === undefined ? [] : [{ row, place }];
    })
    .sort((a, b) => a.place - b.place);
}

/** Undefined for a canvas that a later turn has written again: only its last state has a row. */
function placeOf(row: MemoryRow, newer: Set<string>): number | undefined {
  if (isAttachment(row.ref)) return 0;
  const name = row.ref.replace(/^\w+:[\w-]+\./, '');
  const isPage = name.startsWith('canvas.');
  const isDelivered = name.startsWith('outputs/') && !isInternal(row);
  if (!isPage && !isDelivered) return 2;
  const isNewest = !newer.has(name);
  newer.add(name);
  if (isPage) return isNewest ? 2 : undefined;
  return isNewest ? 1 : 2;
}

/** Whether the user has the file of this row from the agent. */
export function isDeliveredRow(row: MemoryRow): boolean {
  return !isAttachment(row.ref) && !isInternal(row);
}

/** Only for the agent, not delivered to the user. */
function isInternal({ text }: MemoryRow): boolean {
  return text.split(' | ').includes(internalMark);
}

/** Limits the number of notes, pinned ones included. */
function someNotes(notes: readonly MemoryRow[]): readonly MemoryRow[] {
  const pins = notes.filter(isPinnedNote).slice(-keptNotesMax);
  const free = keptNotesMax - pins.length;
  const others = notes.filter((note) => !isPinnedNote(note));
  return [...pins, ...(free > 0 ? others.slice(-free) : [])];
}

/** The latest events in full; older ones shortened. */
function olderAsRefs(events: readonly MemoryRow[]): readonly MemoryRow[] {
  const whole = events.length - keptEventsWhole;
  return events.map((row, index) =>
    index < whole ? { ...row, text: brief(row.text, keptHintChars / 2) } : row,
  );
}

function newestWithin(rows: readonly MemoryRow[], tokensMax: number): readonly MemoryRow[] {
  let left = tokensMax;
  const first = rows.findLastIndex((row) => {
    left -= tokensOf([row]);
    return left < 0;
  });
  return rows.slice(first + 1);
}

function tokensOf(rows: readonly MemoryRow[]): number {
  return rows.reduce((sum, row) => sum + countTokens(rowText(row)) + 1, 0);
}

function isPinnedNote({ text }: MemoryRow): boolean {
  return text.split('\n').some(isPinned);
}

function isSent({ ref }: MemoryRow): boolean {
  return isAttachment(ref);
}

function isFailure({ failed }: MemoryRow): boolean {
  return failed === true;
}

/** A result row begins with its tool; results of control tools can be obtained again. */
function isComputed({ text }: MemoryRow): boolean {
  return !text.startsWith('react.');
}
