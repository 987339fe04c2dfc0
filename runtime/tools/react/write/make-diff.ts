import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff';
import { diffEditsMax } from './limits.ts';

/** A unified diff that turns `before` into `after`; empty for equal texts. */
export function toUnifiedDiff(before: string, after: string, context = 3): string {
  if (before === after) return '';
  const options = { context, maxEditLength: diffEditsMax };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  const hunks = patch?.hunks ?? [replacement(toLines(before), toLines(after), context)];
  return formatPatch({ ...names, hunks: [...hunks] }, OMIT_HEADERS);
}

const names = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined };

/** Lines include their line ends, so that a last line without one differs. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** One hunk that keeps the common lines at both ends and replaces everything in between. */
function replacement(
  a: readonly string[],
  b: readonly string[],
  context: number,
): StructuredPatchHunk {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const from = Math.max(0, start - context);
  const beyond = Math.max(0, end - context);
  return {
    oldStart: from + 1,
    oldLines: a.length - beyond - from,
    newStart: from + 1,
    newLines: b.length - beyond - from,
    lines: [
      ...rows(' ', a.slice(from, start)),
      ...rows('-', a.slice(start, a.length - end)),
      ...rows('+', b.slice(start, b.length - end)),
      ...rows(' ', a.slice(a.length - end, a.length - beyond)),
    ],
  };
}

function rows(mark: string, lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n')
      ? [`${mark}${line.slice(0, -1)}`]
      : [`${mark}${line}`, '\\ No newline at end of file'],
  );
}
