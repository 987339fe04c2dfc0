import { patchComparisonsMax } from './limits.ts';

/** A hunk of a unified diff. `at` is the 1-based line it names in the old text; its counts are ignored. */
export type Hunk = { readonly at: number; readonly lines: readonly HunkLine[] };
type HunkLine = {
  readonly kind: 'keep' | 'drop' | 'add';
  readonly text: string;
  /** Followed by “\ No newline at end of file”. */
  readonly last: boolean;
};

/** `count` lines of the new text after line `after`; 0 if lines were only removed there. */
export type ChangedRange = { readonly after: number; readonly count: number };

export type PatchResult =
  | {
      readonly ok: true;
      readonly text: string;
      readonly hunks: number;
      /** The changed ranges, in line order. */
      readonly ranges: readonly ChangedRange[];
    }
  | {
      readonly ok: false;
      readonly code: 'patch_malformed' | 'patch_too_costly' | 'hunk_mismatch';
      readonly message: string;
      /** Where to look in the old text, 1-based, and how many lines the hunk covers. */
      readonly line?: number;
      readonly lines?: number;
    };

export function isUnifiedDiff(patch: string): boolean {
  return /^(---|\+\+\+|@@|diff |Index: )/.test(patch.trimStart());
}

/** Applies every hunk at the match nearest to the line it names; either all hunks or none. */
export function applyDiff(old: string, patch: string): PatchResult {
  const hunks = parseHunks(patch);
  if (typeof hunks === 'string') return { ok: false, code: 'patch_malformed', message: hunks };
  const { lines, eol, ...text } = toLines(old);
  const search: Search = { lines, left: patchComparisonsMax };
  const pieces: (readonly string[])[] = [];
  const ranges: ChangedRange[] = [];
  let { newline } = text;
  let floor = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ kind }) => kind !== 'add').map((line) => line.text);
    const wanted = hunk.at - (before.length === 0 ? 0 : 1);
    const at = nearest(search, { before, wanted, floor });
    if (at === undefined) return search.left < 0 ? tooCostly(index) : mismatch(index, hunk, lines);
    const end = at + before.length;
    const made = rewriteLines(lines.slice(at, end), hunk, eol);
    pieces.push(lines.slice(floor, at), made);
    ranges.push(...rangesOf(hunk, at + shift));
    if (end === lines.length) newline = endsWithNewline(hunk, newline);
    shift += made.length - before.length;
    floor = end;
  }
  const after = [...pieces, lines.slice(floor)].flat();
  return { ok: true, hunks: hunks.length, ranges, text: toText(after, newline) };
}

type Lines = { readonly lines: readonly string[]; readonly newline: boolean; readonly eol: string };

function toLines(text: string): Lines {
  if (text === '') return { lines: [], newline: true, eol: '' };
  const newline = text.endsWith('\n');
  const lines = (newline ? text.slice(0, -1) : text).split('\n');
  const returns = lines.filter((line) => line.endsWith('\r')).length;
  return { lines, newline, eol: returns * 2 > lines.length ? '\r' : '' };
}

function toText(lines: readonly string[], newline: boolean): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}${newline ? '\n' : ''}`;
}

/** The hunks, or a string that says what is wrong with the patch. */
function parseHunks(patch: string): readonly Hunk[] | string {
  const rows = patch.replace(/\n$/, '').split('\n');
  const hunks: { at: number; lines: HunkLine[] }[] = [];
  let files = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? '';
    if (isFileHeader(rows, index)) {
      files += 1;
      index += 1;
      continue;
    }
    const at = /^@@+ -(\d+)/.exec(row)?.[1];
    if (row.startsWith('@@')) hunks.push({ at: Number(at ?? 1), lines: [] });
    else addRow(hunks.at(-1)?.lines, row);
  }
  if (files > 1) return 'The patch names several files; patch one at a time.';
  const changing = hunks.filter(({ lines }) => lines.some(({ kind }) => kind !== 'keep'));
  return changing.length > 0
    ? changing
    : 'The patch has no hunk (@@ …) that changes a line. A whole text that begins like a diff is written with react.write.';
}

/** `---` and `+++` before a hunk are a file header; elsewhere they are removed and added lines. */
function isFileHeader(rows: readonly string[], index: number): boolean {
  const [minus = '', plus = '', hunk = ''] = rows.slice(index, index + 3);
  return minus.startsWith('--- ') && plus.startsWith('+++ ') && hunk.startsWith('@@');
}

function addRow(lines: HunkLine[] | undefined, row: string): void {
  const before = lines?.at(-1);
  if (lines === undefined) return;
  if (row.startsWith('\\')) {
    if (before) lines[lines.length - 1] = { ...before, last: true };
    return;
  }
  const kind = row.startsWith('+') ? 'add' : row.startsWith('-') ? 'drop' : 'keep';
  const marked = kind !== 'keep' || row.startsWith(' ');
  lines.push({ kind, text: marked ? row.slice(1) : row, last: false });
}

/** `left`: remaining line comparisons; below 0 once the limit is exceeded. */
type Search = { readonly lines: readonly string[]; left: number };
type HunkPosition = {
  readonly before: readonly string[];
  readonly wanted: number;
  readonly floor: number;
};

/** The exact match nearest to the named line, else the nearest match that ignores whitespace at line ends. */
function nearest(search: Search, { before, wanted, floor }: HunkPosition): number | undefined {
  const { lines } = search;
  const last = lines.length - before.length;
  for (const clean of [identity, trimmed]) {
    const cleaned = before.map(clean);
    for (const at of outward(Math.min(Math.max(wanted, floor), last), { floor, last })) {
      const differs = cleaned.findIndex((line, index) => clean(lines[at + index] ?? '') !== line);
      if (differs < 0) return at;
      search.left -= differs + 1;
      if (search.left < 0) return undefined;
    }
  }
  return undefined;
}

/** All positions, nearest first. */
function* outward(from: number, { floor, last }: { floor: number; last: number }) {
  for (let far = 0; from - far >= floor || from + far <= last; far += 1) {
    if (from - far >= floor) yield from - far;
    if (far > 0 && from + far <= last) yield from + far;
  }
}

function identity(line: string): string {
  return line;
}

function trimmed(line: string): string {
  return line.trimEnd();
}

/** Context lines keep the whitespace of the text, not that of the patch. */
function rewriteLines(found: readonly string[], hunk: Hunk, eol: string): readonly string[] {
  let at = 0;
  return hunk.lines.flatMap(({ kind, text }) => {
    if (kind === 'add') return [text.endsWith('\r') ? text : `${text}${eol}`];
    at += 1;
    return kind === 'keep' ? [found[at - 1] ?? text] : [];
  });
}

/** Each run of changed lines of a hunk that begins after line `start`. */
function rangesOf({ lines }: Hunk, start: number): readonly ChangedRange[] {
  const ranges: ChangedRange[] = [];
  let line = start;
  for (const [index, { kind }] of lines.entries()) {
    const last = ranges.at(-1);
    const goesOn = last !== undefined && index > 0 && lines[index - 1]?.kind !== 'keep';
    const made = kind === 'add' ? 1 : 0;
    if (kind !== 'keep' && goesOn)
      ranges[ranges.length - 1] = { ...last, count: last.count + made };
    if (kind !== 'keep' && !goesOn) ranges.push({ after: line, count: made });
    if (kind !== 'drop') line += 1;
  }
  return ranges;
}

/** Decided by the markers: after a context or added line, the new text ends without a newline; after a removed line, only the old text did. */
function endsWithNewline(hunk: Hunk, before: boolean): boolean {
  const marked = hunk.lines.filter(({ last }) => last);
  if (marked.some(({ kind }) => kind !== 'drop')) return false;
  return marked.length > 0 ? true : before;
}

function tooCostly(index: number): PatchResult {
  const message = `Hunk ${index + 1} was not found: the text has too many lines that are nearly it. Nothing was changed. Give the right line in @@ and fewer lines around the change, or rewrite the file with react.write.`;
  return { ok: false, code: 'patch_too_costly', message };
}

function mismatch(index: number, hunk: Hunk, lines: readonly string[]): PatchResult {
  const expected = hunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
  const known = new Set(lines.map((line) => line.trim()));
  const anchor = expected.map((text) => text.trim()).find((text) => text !== '' && known.has(text));
  const line = anchor === undefined ? hunk.at : lines.findIndex((one) => one.trim() === anchor) + 1;
  const above = expected.findIndex((text) => text.trim() === anchor);
  const there = lines.slice(...span(line - 1 - Math.max(0, above), expected.length));
  const message = `Hunk ${index + 1} (@@ -${hunk.at}) does not match; nothing was changed. Expected in a row: ${quoted(expected)}.${there.length > 0 ? ` There is: ${quoted(there)}.` : ''}`;
  return {
    ok: false,
    code: 'hunk_mismatch',
    message,
    line: Math.max(1, Math.min(line, lines.length)),
    lines: expected.length,
  };
}

/** From this line on, as many as the hunk covers. */
function span(from: number, count: number): readonly [number, number] {
  const start = Math.max(0, from);
  return [start, start + count];
}

/** The first three lines. */
function quoted(lines: readonly string[]): string {
  const shown = lines.slice(0, 3).map((text) => JSON.stringify(text.slice(0, 120).trimEnd()));
  return `${shown.join(', ')}${lines.length > 3 ? ', …' : ''}`;
}
