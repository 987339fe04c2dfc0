import { encodedRunCharsMin } from './limits.ts';

const base64 = alphabet('+/');
/** Characters of any encoding: base64, base64url, hex. */
const encoded = alphabet('+/-_');
/** Minimum line length and line count of wrapped base64, as in mail. */
const lineCharsMin = 60;
const linesMin = 2;

const lineEnds = ['\n', '\r\n', '\\n', '\\r\\n'];

/** Removes encoded bytes, which would fill a prompt and tell a model nothing. Idempotent. */
export function withoutEncodedRuns(text: string): string {
  if (text.length < encodedRunCharsMin) return text;
  return withoutRuns(withoutRuns(text, encoded, afterPadding), base64, afterLines);
}

/** `endOf` returns where the data after a run ends. Does not use a regular expression, which is slow for long runs. */
function withoutRuns(
  text: string,
  members: Uint8Array,
  endOf: (text: string, runEnd: number, start: number) => number,
): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const start = at;
    at = afterRun(text, start, members);
    if (at === start) continue;
    const end = endOf(text, at, start);
    if (end - start < encodedRunCharsMin) continue;
    pieces.push(text.slice(kept, start), `(${end - start} characters of encoded data)`);
    kept = end;
    at = end - 1;
  }
  return kept === 0 ? text : pieces.join('') + text.slice(kept);
}

/**
 * The end of consecutive base64 lines. A shorter last line counts only with padding; without it, it is ordinary text.
 * Without such lines the run is empty.
 */
function afterLines(text: string, firstEnd: number, start: number): number {
  let [at, end, lines] = [start, firstEnd, 0];
  for (let next = afterLineEnd(text, end); isLine(at, end, next); lines += 1) {
    at = next;
    end = afterRun(text, at, base64);
    next = afterLineEnd(text, end);
  }
  if (lines < linesMin) return start;
  const padded = afterPadding(text, end);
  return padded > end || end - at >= lineCharsMin ? padded : at;
}

function isLine(at: number, end: number, next: number): boolean {
  return end - at >= lineCharsMin && next > end;
}

/** Real line ends, or the escaped ones of a JSON string. */
function afterLineEnd(text: string, at: number): number {
  const end = lineEnds.find((each) => text.startsWith(each, at)) ?? '';
  return at + end.length;
}

function afterPadding(text: string, at: number): number {
  if (text.startsWith('==', at)) return at + 2;
  return text.startsWith('=', at) ? at + 1 : at;
}

function afterRun(text: string, start: number, members: Uint8Array): number {
  let at = start;
  while (isMember(text, at, members)) at += 1;
  return at;
}

function isMember(text: string, at: number, members: Uint8Array): boolean {
  return members[text.charCodeAt(at)] === 1;
}

/** Letters, digits and the given characters, by code unit. */
function alphabet(more: string): Uint8Array {
  const members = new Uint8Array(128);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (const member of `${letters}0123456789${more}`) members[member.charCodeAt(0)] = 1;
  return members;
}
