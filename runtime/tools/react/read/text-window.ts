import { countTokens } from '../../../timeline/tokens.ts';
import { cutText } from '../../text/cut-text.ts';

export type LineNumbers = 'disabled' | 'lines' | 'sparsed';

/** Lines are 1-based; offsets are in UTF-16 units. With an offset, lines are ignored. */
export type WindowRequest = {
  readonly line_start?: number | undefined;
  readonly line_count?: number | undefined;
  readonly offset_text_symbols?: number | undefined;
  readonly max_text_symbols?: number | undefined;
};

type WindowLimits = {
  readonly chars: number;
  readonly tokens: number;
  readonly numbers: LineNumbers;
};

export type Window = {
  /** The shown text, including line numbers. */
  readonly text: string;
  readonly tokens: number;
  /** First and last line, 1-based, out of `lines`. */
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  /** Half-open, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The request that reads on; absent at the end of the text. */
  readonly next?: WindowRequest;
  /** The window ends inside a line. */
  readonly cutLine: boolean;
  /** The limits ended the window, not the request. */
  readonly clipped: boolean;
  /** The request named lines, and all of them are here. */
  readonly hasAllLines: boolean;
};

/** The requested part of a text, clipped to the limits, at a line end if possible. Always contains at least one character, so reading on makes progress. */
export function takeWindow(text: string, request: WindowRequest, limits: WindowLimits): Window {
  const starts = lineStarts(text);
  const { start, end: wanted } = wantedRange(text, request, starts);
  let end = Math.min(wanted, start + Math.max(1, limits.chars));
  for (;;) {
    end = end < wanted ? niceEnd(text, { start, end, starts }) : end;
    const shown = withNumbers(text.slice(start, end), lineAt(starts, start), limits.numbers);
    const tokens = countTokens(shown);
    const fits = shown.length <= limits.chars && tokens <= limits.tokens;
    if (fits || end - start <= 2)
      return toWindow({ request, text, shown, tokens, start, end, wanted, starts });
    end = start + Math.max(2, Math.floor((end - start) * 0.75));
  }
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (
    let at = text.indexOf('\n');
    at >= 0 && at + 1 < text.length;
    at = text.indexOf('\n', at + 1)
  ) {
    starts.push(at + 1);
  }
  return starts;
}

function wantedRange(text: string, request: WindowRequest, starts: readonly number[]) {
  const { line_start, line_count, offset_text_symbols, max_text_symbols } = request;
  if (offset_text_symbols !== undefined) {
    const start = cutText(text, Math.min(offset_text_symbols, text.length)).length;
    return { start, end: wholeEnd(text, start + (max_text_symbols ?? text.length)) };
  }
  const first = (line_start ?? 1) - 1;
  const start = starts[first] ?? text.length;
  const end = line_count === undefined ? text.length : (starts[first + line_count] ?? text.length);
  return { start, end: Math.min(end, wholeEnd(text, start + (max_text_symbols ?? text.length))) };
}

/** A window requested by symbols never ends inside a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return cutText(text, end).length === end ? end : end + 1;
}

/** Moves back to the end of the last whole line, or of the last whole character if the line began before the window. */
function niceEnd(
  text: string,
  { start, end, starts }: { start: number; end: number; starts: readonly number[] },
): number {
  const line = starts[lineAt(starts, end) - 1] ?? 0;
  if (line > start) return line;
  const whole = cutText(text, end).length;
  return whole > start ? whole : wholeEnd(text, end);
}

/** Number of the line that contains the character at `offset`. */
function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

function withNumbers(text: string, first: number, numbers: LineNumbers): string {
  if (numbers === 'disabled' || text === '') return text;
  const lines = text.split('\n');
  const last = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const middle = Math.floor(last / 2);
  const marked = new Set([0, 1, middle - 1, middle, last - 2, last - 1]);
  return lines
    .map((line, index) => {
      const plain = index >= last || (numbers === 'sparsed' && !marked.has(index));
      return plain ? line : `${String(first + index).padStart(6)}\t${line}`;
    })
    .join('\n');
}

/** Reading on continues as it was requested: the rest of the lines, or as far as the limits allow. */
function linesLeft({ line_start = 1, line_count }: WindowRequest, line: number): WindowRequest {
  const left = line_count === undefined ? 0 : line_start + line_count - line;
  return left > 0 ? { line_count: left } : {};
}

type WindowParts = {
  readonly request: WindowRequest;
  readonly text: string;
  readonly shown: string;
  readonly tokens: number;
  readonly start: number;
  readonly end: number;
  readonly wanted: number;
  readonly starts: readonly number[];
};

function toWindow({
  request,
  text,
  shown,
  tokens,
  start,
  end,
  wanted,
  starts,
}: WindowParts): Window {
  const line = lineAt(starts, end);
  const atLine = starts[line - 1] === end;
  const next: WindowRequest = atLine
    ? { line_start: line, ...linesLeft(request, line) }
    : { offset_text_symbols: end, max_text_symbols: Math.max(1, end - start) };
  return {
    text: shown,
    tokens,
    from: lineAt(starts, start),
    to: lineAt(starts, Math.max(start, end - 1)),
    lines: text === '' ? 0 : starts.length,
    start,
    end,
    ...(end < text.length ? { next } : {}),
    cutLine: end < text.length && !atLine,
    clipped: end < wanted,
    hasAllLines: request.line_count !== undefined && end >= wanted,
  };
}
