import { diffCellsMax } from './limits.ts';

type Row = { readonly kind: ' ' | '-' | '+'; readonly text: string };

/** A unified diff that turns `before` into `after`; empty for equal texts. */
export function toUnifiedDiff(before: string, after: string, context = 3): string {
  const rows = script(toLines(before), toLines(after));
  const near = nearChanges(rows, context);
  let [old, now] = [1, 1];
  const out: string[] = [];
  for (const [index, row] of rows.entries()) {
    if (near[index] && !near[index - 1]) out.push(header(rows, near, { index, old, now }));
    if (near[index]) out.push(...shown(row));
    if (row.kind !== '+') old += 1;
    if (row.kind !== '-') now += 1;
  }
  return out.length === 0 ? '' : `${out.join('\n')}\n`;
}

/** Lines include their line ends, so that a last line without one differs. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shown({ kind, text }: Row): readonly string[] {
  return text.endsWith('\n')
    ? [`${kind}${text.slice(0, -1)}`]
    : [`${kind}${text}`, '\\ No newline at end of file'];
}

type At = { readonly index: number; readonly old: number; readonly now: number };

function header(rows: readonly Row[], near: readonly boolean[], { index, old, now }: At): string {
  const end = near.indexOf(false, index);
  const hunk = rows.slice(index, end < 0 ? undefined : end);
  const kept = hunk.filter(({ kind }) => kind !== '+').length;
  const made = hunk.filter(({ kind }) => kind !== '-').length;
  const from = kept === 0 ? old - 1 : old;
  const to = made === 0 ? now - 1 : now;
  return `@@ -${from},${kept} +${to},${made} @@`;
}

function nearChanges(rows: readonly Row[], context: number): readonly boolean[] {
  const near = rows.map(() => false);
  for (const [index, { kind }] of rows.entries()) {
    if (kind === ' ') continue;
    near.fill(true, Math.max(0, index - context), index + context + 1);
  }
  return near;
}

/** Skips common lines at both ends; a middle part that is too large to compare is replaced as a whole. */
function script(a: readonly string[], b: readonly string[]): readonly Row[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return [
    ...rowsOf(' ', a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...rowsOf(' ', a.slice(a.length - end)),
  ];
}

function rowsOf(kind: Row['kind'], lines: readonly string[]): readonly Row[] {
  return lines.map((text) => ({ kind, text }));
}

function middle(a: readonly string[], b: readonly string[]): readonly Row[] {
  if (a.length * b.length > diffCellsMax) return [...rowsOf('-', a), ...rowsOf('+', b)];
  const common = commonLengths(a, b);
  const at = (i: number, j: number) => common[i * (b.length + 1) + j] ?? 0;
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      rows.push({ kind: ' ', text: a[i] ?? '' });
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) {
      rows.push({ kind: '-', text: a[i] ?? '' });
      i += 1;
    } else {
      rows.push({ kind: '+', text: b[j] ?? '' });
      j += 1;
    }
  }
  return [...rows, ...rowsOf('-', a.slice(i)), ...rowsOf('+', b.slice(j))];
}

/** Length of the longest common subsequence of the tails from `i` and `j`, row by row. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const cell = i * width + j;
      const same = (table[cell + width + 1] ?? 0) + 1;
      const longer = Math.max(table[cell + width] ?? 0, table[cell + 1] ?? 0);
      table[cell] = a[i] === b[j] ? same : longer;
    }
  }
  return table;
}
