import { isTextual } from '../../files/mime.ts';
import type { CallContext } from '../../ports/tool.ts';
import { wholeText } from '../../refs/resolved-text.ts';
import type { Regex } from '../../text/regex.ts';
import {
  rgFileBytesMax,
  rgLineChars,
  rgLineSteps,
  rgPlacesMax,
  rgTotalBytesMax,
} from './limits.ts';
import type { Hit, SearchResult } from './rg-outcome.ts';
import type { SearchTarget } from './rg-targets.ts';
import { type Pacer, scanLines } from './scan-lines.ts';

export type Pattern = Extract<Regex, { ok: true }>;

type SearchOptions = {
  readonly asked: {
    readonly context_lines: number;
    readonly max_matches: number;
    readonly max_files: number;
    readonly max_bytes?: number | undefined;
  };
  readonly pattern: Pattern;
  readonly pace: Pacer;
  readonly context: CallContext;
};

type SearchState = {
  readonly hits: Hit[];
  readonly skipped: string[];
  readonly long: string[];
  matches: number;
  searched: number;
  bytesLeft: number;
};

/** Searches target by target, until a limit of the request, of the number of targets or of the time is reached. */
export async function search(
  named: readonly SearchTarget[],
  { asked, pattern, pace, context }: SearchOptions,
): Promise<SearchResult> {
  const searching = { asked, pattern, pace, context };
  const found = { hits: [], skipped: [], long: [], matches: 0, searched: 0 };
  const state: SearchState = { ...found, bytesLeft: rgTotalBytesMax };
  for (const place of named.slice(0, rgPlacesMax)) {
    if (isFull(state, searching) || pace.over) break;
    await searchTarget(place, state, searching);
  }
  const { bytesLeft: _, ...rest } = state;
  const left = named.length - state.searched - state.skipped.length;
  const slow = pace.over && !isFull(state, searching);
  return { ...rest, left, slow, stopped: limitReached(state, left, searching) };
}

/** Characters of one line that are searched, so that a slow pattern does not block the event loop for long. */
export function lineCharsSearched({ size }: Pattern): number {
  return Math.max(1, Math.floor(rgLineSteps / size));
}

function isFull({ matches, hits }: SearchState, { asked }: SearchOptions): boolean {
  return matches >= asked.max_matches || hits.length >= asked.max_files;
}

function limitReached(
  found: SearchState,
  left: number,
  searching: SearchOptions,
): 'lines' | 'files' | undefined {
  if (found.matches >= searching.asked.max_matches) return 'lines';
  return isFull(found, searching) && left > 0 ? 'files' : undefined;
}

async function searchTarget(
  place: SearchTarget,
  found: SearchState,
  searching: SearchOptions,
): Promise<void> {
  const { asked, pattern, pace } = searching;
  const text = await textOf(place, found.bytesLeft, searching);
  if (text === undefined) {
    found.skipped.push(place.path);
    return;
  }
  found.searched += 1;
  found.bytesLeft -= place.size ?? 0;
  const lines = text.split('\n');
  const charsSearched = lineCharsSearched(pattern);
  if (lines.some((line) => line.length > charsSearched)) found.long.push(place.path);
  const request = {
    search: pattern.search,
    charsSearched,
    contextLines: asked.context_lines,
    matchesMax: asked.max_matches - found.matches,
    lineChars: rgLineChars,
  };
  const matches = await scanLines(lines, request, pace);
  found.matches += matches.length;
  if (matches.length > 0)
    found.hits.push({ place, matches, lines: lines.length, chars: text.length });
}

async function textOf(
  { path, mime, size = 0 }: SearchTarget,
  bytesLeft: number,
  { asked, context }: SearchOptions,
): Promise<string | undefined> {
  const readable = mime === undefined || isTextual(mime) || mime === 'application/octet-stream';
  const most = Math.min(bytesLeft, rgFileBytesMax, asked.max_bytes ?? rgFileBytesMax);
  if (!readable || size > most) return undefined;
  const resolved = await context.services.read(path);
  const whole = resolved && (await wholeText(resolved, context.services));
  return whole?.kind === 'text' ? whole.text : undefined;
}
