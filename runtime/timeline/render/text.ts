import { withoutEncodedRuns } from '../base64-runs.ts';
import { attachmentPreviewCharsMax, cutShareMax, factCharsMax } from '../limits.ts';

/** Labels that open a rendered item. Text in a body can never be mistaken for one of them. */
const labels = [
  'USER MESSAGE',
  'USER ATTACHMENT',
  'FOLLOWUP DURING TURN',
  'STEER DURING TURN',
  'EXTERNAL EVENT',
  'EARLIER MESSAGES',
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
  'TOOLS',
  'PROTOCOL VIOLATION',
  'NOTICE',
  'INTERNAL NOTE',
  'ASSISTANT MESSAGE',
  'WORKING SUMMARY',
  'TURN FEEDBACK',
  'TURN CLOSED',
  'TURN STATUS',
  'COMPACTED PRIOR CONVERSATION MEMORY',
  'END OF COMPACTED MEMORY',
  'MID-TURN COMPACTION',
  'END OF MID-TURN COMPACTION',
] as const;
type Label = (typeof labels)[number];
/** A label, alone or with a number, a name or a remark behind it. */
export type ItemLabel = Label | `${Label} ${string}` | `${Label}, ${string}`;

/** Sections of ANNOUNCE. */
const sections = [
  'BUDGET',
  'TIME',
  'CONTEXT CAPS',
  'OPEN PLANS',
  'LIVE TURN EVENTS',
  'INACTIVE TOOLS',
  'WORKSPACE',
  'LONG-TERM MEMORY',
  'FEEDBACK',
  'NOTICES',
  'HINTS',
] as const;
export type AnnounceSection = (typeof sections)[number];

/** Kinds of rows in a pruned turn. */
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

/** The beginning of a heading written by the runtime. */
const heading = new RegExp(
  `^(?:(?:${rowKinds.join('|')}): path=|\\[(?:${[...labels, ...sections].join('|')})\\b|TURN (?:t\\d|(?:[a-z]+_)?turn_)|(?:SOURCES|ANNOUNCE|PHASE|LAST ROUND|OUTPUT REQUIRED)\\b|Attached: (?:fi|tc):|(?:PRUNED|INTACT) TURNS - )`,
);
/** Characters of a line that determine whether it is a heading. */
const headingCharsMax = 200;
/** A line, ended by any character that people or models may read as a line end. */
const line = /[^\n\r\v\f\u0085\u2028\u2029]+/g;
/** Invisible characters: zero-width characters, direction controls, and control characters except the tab. */
const unseen = /(?!\t)[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu;
const breaks = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
export const prunedHeading =
  'PRUNED TURNS - earlier turns in short; every path in them is still there for react.read\n\n';
export const intactHeading = 'INTACT TURNS - as they were\n\n';

/** Label line and body of one item. Each item ends with an empty line, so further items only append to the text. */
export function item(label: ItemLabel, facts: readonly (string | undefined)[], body = ''): string {
  const texts = facts.flatMap((fact) => (fact === undefined || fact === '' ? [] : oneLine(fact)));
  const head = [`[${oneLine(label)}]`, texts.join(' | ')].filter((part) => part !== '').join(' ');
  return body === '' ? `${head}\n\n` : `${head}\n${body}\n\n`;
}

/** Puts a fact on one line and limits its length. Keeps its spaces, because a path may contain some. */
export function oneLine(fact: string): string {
  return start(fact, factCharsMax).replace(breaks, ' ');
}

/**
 * Untrusted text as a body: omits encoded bytes, and indents by one space every line that looks like a heading of the
 * runtime.
 */
export function quote(text: string): string {
  return indentHeadings(withoutEncodedRuns(text), heading).trimEnd();
}

/** Indents by one space every line that reads as such a heading. */
export function indentHeadings(text: string, headings: RegExp): string {
  return text.replace(line, (found) => (headings.test(visible(found)) ? ` ${found}` : found));
}

/** Without invisible characters, with wide letters as plain ones. */
function visible(text: string): string {
  return text.replace(unseen, '').slice(0, headingCharsMax).normalize('NFKC');
}

/** The path in a row of a pruned turn; undefined: the line is not a row. */
export function pathInRow(line: string): string | undefined {
  return pathsInRows(line)[0];
}

/** The paths in the rows of a pruned turn. */
export function pathsInRows(text: string): readonly string[] {
  return [...text.matchAll(row)].flatMap(([, path]) => path ?? []);
}

/** The beginning of a long text, with a note about where the whole text is. */
export function clip(text: string, charsMax: number, path?: string): string {
  if (text.length <= charsMax) return text;
  return `${start(text, charsMax)}\n${cutNote(`${charsMax} of ${text.length} characters`, path)}`;
}

/** The note at the end of a cut text. `part`: how much is shown, for example `600 of 5000 characters`. */
export function cutNote(part: string, path: string | undefined): string {
  const where = path === undefined ? '' : `; the whole is at ${path}`;
  return `… (only the beginning, ${part}${where})`;
}

/** The text as one line of at most `charsMax` UTF-16 units. */
export function brief(text: string, charsMax: number): string {
  const short = text
    .slice(0, charsMax * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return short.length <= charsMax ? short : `${start(short, charsMax - 1)}…`;
}

/** Like `brief`, but longer if a cut would save little. */
export function gist(text: string, charsMax: number): string {
  const longer = brief(text, charsMax * 2);
  return isWorthCutting(longer, charsMax) ? brief(longer, charsMax) : longer;
}

export function isWorthCutting(text: string, charsMax: number): boolean {
  return charsMax <= text.length * cutShareMax;
}

/** The beginning of a text; never splits a character. */
export function start(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, '');
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Marks the text of the block as the beginning of a larger file. */
export function beginning(
  text: string,
  { size, path }: { size: number | undefined; path?: string | undefined },
): string {
  const shown = text.slice(0, attachmentPreviewCharsMax).replace(/[\uD800-\uDBFF]$/, '');
  const whole = shown.length === text.length && (size === undefined || size <= 4 * text.length);
  const bytesShown = new TextEncoder().encode(shown).length;
  if (shown === '' || (whole && (size === undefined || bytesShown >= size))) return shown;
  return `${shown}\n${cutNote(`${bytesShown} of ${size ?? '?'} bytes`, path)}`;
}
