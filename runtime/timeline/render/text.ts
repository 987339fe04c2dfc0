import { withoutEncodedRuns } from '../encoded-runs.ts';
import { cutShareMax } from '../limits.ts';

/** Words that open a rendered item. What stands in a body can never be taken for one of them. */
const labels = [
  'USER MESSAGE',
  'USER ATTACHMENT',
  'FOLLOWUP DURING TURN',
  'STEER DURING TURN',
  'EXTERNAL EVENT',
  'ROUND',
  'THINKING',
  'NOTES',
  'TIMELINE TEXT',
  'CODE',
  'CANVAS',
  'TOOL CALL',
  'TOOL RESULT',
  'FILE',
  'SOURCE',
  'PROTOCOL VIOLATION',
  'NOTICE',
  'INTERNAL NOTE',
  'ASSISTANT MESSAGE',
  'WORKING SUMMARY',
  'TURN CLOSED',
  'TURN STATUS',
  'COMPACTED PRIOR CONVERSATION MEMORY',
  'END OF COMPACTED MEMORY',
  'MID-TURN COMPACTION',
  'END OF MID-TURN COMPACTION',
] as const;
export type Label = (typeof labels)[number];

/** What a pruned turn has one line each for. */
const rowKinds = [
  'user',
  'assistant',
  'file',
  'code',
  'canvas',
  'tool_call',
  'tool_result',
] as const;
export type RowKind = (typeof rowKinds)[number];
const row = new RegExp(
  `^(?:${rowKinds.join('|')}): path=(.+?)(?: (?:tool|mime)=\\S*)*(?: hint=".*")?$`,
  'gm',
);

const forged = new RegExp(
  `^(?=(?:${rowKinds.join('|')}): path=|\\[(?:${labels.join('|')})\\b|TURN (?:[a-z]+_)?turn_|SOURCES\\b|(?:ANNOUNCE|PRUNED TURNS|INTACT TURNS) - )`,
  'gm',
);
export const prunedHeading =
  'PRUNED TURNS - earlier turns in short; every path in them is still there for react.read\n\n';
export const intactHeading = 'INTACT TURNS - as they were\n\n';

/** Label line and body of one item. Each item ends with an empty line, so that more of them only ever add to a text. */
export function item(label: string, facts: readonly (string | undefined)[], body = ''): string {
  const head = [
    `[${label}]`,
    facts.filter((fact) => fact !== undefined && fact !== '').join(' | '),
  ];
  const line = head.filter((part) => part !== '').join(' ');
  return body === '' ? `${line}\n\n` : `${line}\n${body}\n\n`;
}

/** Text from outside as a body: encoded bytes elided, and a line that looks like a label moved one space to the right. */
export function quote(text: string): string {
  return withoutEncodedRuns(text).replace(forged, ' ').trimEnd();
}

/** The paths that the rows of a pruned turn name. */
export function pathsInRows(text: string): readonly string[] {
  return [...text.matchAll(row)].flatMap(([, path]) => path ?? []);
}

/** The beginning of a long text, and how to read the whole. */
export function clip(text: string, charsMax: number, path?: string): string {
  if (text.length <= charsMax) return text;
  return `${start(text, charsMax)}\n${cutNote(`${charsMax} of ${text.length} characters`, path)}`;
}

/** What stands where a text is cut, with how much of it is there: `600 of 5000 characters`. */
export function cutNote(part: string, path: string | undefined): string {
  const where = path === undefined ? '' : `; the whole is at ${path}`;
  return `… (only the beginning, ${part}${where})`;
}

/** One line of at most so many UTF-16 units. */
export function brief(text: string, charsMax: number): string {
  const line = text
    .slice(0, charsMax * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= charsMax ? line : `${start(line, charsMax - 1)}…`;
}

/** The same, somewhat longer where a cut would save little. */
export function gist(text: string, charsMax: number): string {
  const line = brief(text, charsMax * 2);
  return isWorthCutting(line, charsMax) ? brief(line, charsMax) : line;
}

export function isWorthCutting(text: string, charsMax: number): boolean {
  return charsMax <= text.length * cutShareMax;
}

/** Cuts no character in two. */
export function start(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
