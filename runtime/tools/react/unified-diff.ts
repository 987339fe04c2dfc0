/** A hunk of a unified diff. `at` is the 1-based line it names in the old text; its counts are never believed. */
export type Hunk = { readonly at: number; readonly lines: readonly HunkLine[] };
export type HunkLine = {
  readonly kind: 'keep' | 'drop' | 'add';
  readonly text: string;
  /** Followed by “\ No newline at end of file”. */
  readonly last: boolean;
};

/** `count` lines of the new text, the first of them below line `after`; 0: lines only went there. */
export type Place = { readonly after: number; readonly count: number };

export type Patched =
  | {
      readonly ok: true;
      readonly text: string;
      readonly hunks: number;
      /** What it changed, in the order of the lines. */
      readonly places: readonly Place[];
    }
  | {
      readonly ok: false;
      readonly code: 'patch_malformed' | 'hunk_mismatch';
      readonly message: string;
      /** Where to look in the old text, 1-based, and how many lines the hunk is about. */
      readonly line?: number;
      readonly lines?: number;
    };

export function isUnifiedDiff(patch: string): boolean {
  return /^(---|\+\+\+|@@|diff |Index: )/.test(patch.trimStart());
}

/** Applies every hunk, each exactly and nearest to the line it names; all of them or none. */
export function applyDiff(old: string, patch: string): Patched {
  const hunks = parseHunks(patch);
  if (typeof hunks === 'string') return { ok: false, code: 'patch_malformed', message: hunks };
  const text = toLines(old);
  const lines = [...text.lines];
  const places: Place[] = [];
  let { newline } = text;
  let floor = 0;
  let shift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const before = hunk.lines.filter(({ kind }) => kind !== 'add');
    const wanted = Math.max(0, hunk.at - (before.length === 0 ? 0 : 1)) + shift;
    const at = nearest(lines, { before: before.map((line) => line.text), wanted, floor });
    if (at === undefined) return mismatch(index, hunk, old);
    const after = rewritten(lines.slice(at, at + before.length), hunk, text.eol);
    lines.splice(at, before.length, ...after);
    places.push(...placesOf(hunk, at));
    if (at + after.length === lines.length) newline = endsWithNewline(hunk, newline);
    shift += after.length - before.length;
    floor = at + after.length;
  }
  return { ok: true, hunks: hunks.length, places, text: toText(lines, newline) };
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

/** Hunks, or what is wrong with the patch. */
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
  return changing.length === 0 ? 'The patch has no hunk (@@ …) that changes a line.' : changing;
}

/** `---` and `+++` in front of a hunk; elsewhere they are lines taken away and put in. */
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

/** First an exact match nearest to the wanted line, then one that overlooks white space at line ends. */
function nearest(
  lines: readonly string[],
  { before, wanted, floor }: { before: readonly string[]; wanted: number; floor: number },
): number | undefined {
  const last = lines.length - before.length;
  const candidates = Array.from(
    { length: Math.max(0, last - floor + 1) },
    (_, index) => floor + index,
  );
  const byDistance = candidates.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
  const same = (at: number, clean: (line: string) => string) =>
    before.every((line, index) => clean(lines[at + index] ?? '') === clean(line));
  return (
    byDistance.find((at) => same(at, (line) => line)) ??
    byDistance.find((at) => same(at, (line) => line.trimEnd()))
  );
}

/** Kept lines stay as they are in the text, whatever the patch says about their white space. */
function rewritten(found: readonly string[], hunk: Hunk, eol: string): readonly string[] {
  let at = 0;
  return hunk.lines.flatMap(({ kind, text }) => {
    if (kind === 'add') return [text.endsWith('\r') ? text : `${text}${eol}`];
    at += 1;
    return kind === 'keep' ? [found[at - 1] ?? text] : [];
  });
}

/** Each run of changed lines of a hunk that begins below line `start`. */
function placesOf({ lines }: Hunk, start: number): readonly Place[] {
  const places: Place[] = [];
  let line = start;
  for (const [index, { kind }] of lines.entries()) {
    const last = places.at(-1);
    const goesOn = last !== undefined && index > 0 && lines[index - 1]?.kind !== 'keep';
    const made = kind === 'add' ? 1 : 0;
    if (kind !== 'keep' && goesOn)
      places[places.length - 1] = { ...last, count: last.count + made };
    if (kind !== 'keep' && !goesOn) places.push({ after: line, count: made });
    if (kind !== 'drop') line += 1;
  }
  return places;
}

/** Only the markers know: after a kept or added line the new text ends there, after a dropped one only the old did. */
function endsWithNewline(hunk: Hunk, before: boolean): boolean {
  const marked = hunk.lines.filter(({ last }) => last);
  if (marked.some(({ kind }) => kind !== 'drop')) return false;
  return marked.length > 0 ? true : before;
}

function mismatch(index: number, hunk: Hunk, old: string): Patched {
  const expected = hunk.lines.filter(({ kind }) => kind !== 'add').map(({ text }) => text);
  const lines = toLines(old).lines;
  const anchor = expected.find(
    (text) => text.trim() !== '' && lines.some((line) => line.trim() === text.trim()),
  );
  const line =
    anchor === undefined ? hunk.at : lines.findIndex((one) => one.trim() === anchor.trim()) + 1;
  const shown = expected
    .slice(0, 3)
    .map((text) => JSON.stringify(text.slice(0, 120)))
    .join(', ');
  const message = `Hunk ${index + 1} (@@ -${hunk.at}) does not match; nothing was changed. Expected in a row: ${shown}${expected.length > 3 ? ', …' : ''}.`;
  return {
    ok: false,
    code: 'hunk_mismatch',
    message,
    line: Math.max(1, Math.min(line, lines.length)),
    lines: expected.length,
  };
}
