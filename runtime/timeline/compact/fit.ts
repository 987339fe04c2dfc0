import { keptEventsWhole, keptHintChars, keptNotesMax, keptTurnChars } from '../limits.ts';
import { brief } from '../render/text.ts';
import { countTokens } from '../tokens.ts';
import type { KeptRow } from '../view.ts';
import type { Lists } from './rows.ts';

/** The rows for which there is room: of each kind the ones that must not be lost, then the newest. */
export function fitRows(rows: Lists, tokensMax: number): Lists {
  let left = tokensMax;
  const keep = (kind: keyof Lists, fitted: (most: number) => readonly KeptRow[]) => {
    const kept = fitted(Math.min(left, Math.floor(tokensMax * shares[kind])));
    left -= tokensOf(kept);
    return kept;
  };
  const events = olderAsRefs(rows.events);
  return {
    notes: keep('notes', (most) => keepFirst(someNotes(rows.notes), { most, first: isPinnedNote })),
    events: keep('events', (most) => newestWithin(events, most)),
    turns: keep('turns', (most) => fitTurns(rows.turns, most)),
    files: keep('files', (most) => fitFiles(rows.files, most)),
    results: keep('results', (most) => keepFirst(rows.results, { most, first: isComputed })),
    plans: keep('plans', (most) => newestWithin(rows.plans, most)),
    earlier: keep('earlier', (most) => newestWithin(rows.earlier, most)),
  };
}

export function rowText({ ref, text }: KeptRow): string {
  return text === '' ? ref : `${ref} ${text.replaceAll('\n', '\n  ')}`;
}

export function isPinned(line: string): boolean {
  return /^\s*(?:[-*]\s+)?\[P\]/.test(line);
}

/** A path below the attachments of a prompt or of a later event. */
export function isAttachment(path: string): boolean {
  return /^fi:[^/]*\.attachments\//.test(path);
}

/** How much of the room each kind may take at most; together they are more than all of it. */
const shares = {
  notes: 0.35,
  events: 0.25,
  turns: 0.4,
  files: 0.2,
  results: 0.3,
  plans: 0.15,
  earlier: 0.1,
} as const;

type Keeping = { readonly most: number; readonly first: (row: KeptRow) => boolean };

/** What comes first is the last to go, and stands before the rest. */
function keepFirst(rows: readonly KeptRow[], { most, first }: Keeping): readonly KeptRow[] {
  const kept = newestWithin(rows.filter(first), most);
  const others = rows.filter((row) => !first(row));
  return [...kept, ...newestWithin(others, most - tokensOf(kept))];
}

/** Every turn by its name and first words, the first of all whatever happens; then, from the newest on, in full. */
function fitTurns(rows: readonly KeptRow[], most: number): readonly KeptRow[] {
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

/**
 * What the user sent, then what was made to keep, then the rest; the newest of each first. In full as long as that takes
 * no more than half of what is left, then by the path alone.
 */
function fitFiles(rows: readonly KeptRow[], most: number): readonly KeptRow[] {
  const kept = new Map<KeptRow, KeptRow>();
  let left = most;
  for (const row of byWorth(rows)) {
    const fitted = tokensOf([row]) <= left / 2 ? row : { ...row, text: '' };
    left -= tokensOf([fitted]);
    if (left < 0) break;
    kept.set(row, fitted);
  }
  const shown = rows.flatMap((row) => kept.get(row) ?? []);
  return [...shown.filter(isSent), ...shown.filter((row) => !isSent(row))];
}

function byWorth(rows: readonly KeptRow[]): readonly KeptRow[] {
  const newer = new Set<string>();
  return rows
    .toReversed()
    .map((row) => ({ row, place: worthOf(row, newer) }))
    .filter(({ place }) => place !== undefined)
    .sort((a, b) => (a.place ?? 0) - (b.place ?? 0))
    .map(({ row }) => row);
}

/** Undefined for a page that a later turn has written anew: only its last state is worth a row. */
function worthOf({ ref }: KeptRow, newer: Set<string>): number | undefined {
  const name = ref.replace(/^\w+:[\w-]+\./, '');
  const isNewest = !newer.has(name);
  newer.add(name);
  if (isAttachment(ref)) return 0;
  if (name.startsWith('canvas.')) return isNewest ? 2 : undefined;
  return isNewest && name.startsWith('outputs/') ? 1 : 2;
}

/** At most so many notes; of pinned ones too. */
function someNotes(notes: readonly KeptRow[]): readonly KeptRow[] {
  const pins = notes.filter(isPinnedNote).slice(-keptNotesMax);
  const free = keptNotesMax - pins.length;
  const others = notes.filter((note) => !isPinnedNote(note));
  return [...pins, ...(free > 0 ? others.slice(-free) : [])];
}

/** The latest events word for word; of older ones, what they were about. */
function olderAsRefs(events: readonly KeptRow[]): readonly KeptRow[] {
  const whole = events.length - keptEventsWhole;
  return events.map((row, index) =>
    index < whole ? { ...row, text: brief(row.text, keptHintChars / 2) } : row,
  );
}

function newestWithin(rows: readonly KeptRow[], tokensMax: number): readonly KeptRow[] {
  let left = tokensMax;
  const first = rows.findLastIndex((row) => {
    left -= tokensOf([row]);
    return left < 0;
  });
  return rows.slice(first + 1);
}

function tokensOf(rows: readonly KeptRow[]): number {
  return rows.reduce((sum, row) => sum + countTokens(rowText(row)) + 1, 0);
}

function isPinnedNote({ text }: KeptRow): boolean {
  return text.split('\n').some(isPinned);
}

function isSent({ ref }: KeptRow): boolean {
  return isAttachment(ref);
}

/** A row of a result begins with its tool; what a control tool says can be had again. */
function isComputed({ text }: KeptRow): boolean {
  return !text.startsWith('react.');
}
