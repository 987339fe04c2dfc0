import { setImmediate } from 'node:timers/promises';
import { cutText } from '../../text/cut-text.ts';
import { rgSliceMs } from './limits.ts';

export type ScanMatch = {
  /** 1-based. */
  readonly line: number;
  readonly preview: string;
  /** The line with the lines around it; empty if none were requested. */
  readonly context: readonly string[];
};
type ScanRequest = {
  /** Where in a line the first match begins, or -1. */
  readonly search: (line: string) => number;
  /** Characters of each line that are searched. */
  readonly charsSearched: number;
  readonly contextLines: number;
  readonly matchesMax: number;
  readonly lineChars: number;
};

/** Yields to the event loop between slices of a search. */
export type Pacer = { pause(): Promise<void>; readonly over: boolean };

/** `pause` throws the reason of an aborted `signal`; `over` is true when the time is up. */
export function createPacer({
  signal,
  deadlineMs,
}: {
  signal: AbortSignal;
  deadlineMs: number;
}): Pacer {
  const started = performance.now();
  let slice = started;
  return {
    get over() {
      return performance.now() - started > deadlineMs;
    },
    async pause() {
      if (performance.now() - slice < rgSliceMs) return;
      await setImmediate();
      signal.throwIfAborted();
      slice = performance.now();
    },
  };
}

/** The matching lines of a text, until there are enough or the time is up. */
export async function scanLines(
  lines: readonly string[],
  { search, charsSearched, contextLines, matchesMax, lineChars }: ScanRequest,
  pace: Pacer,
): Promise<readonly ScanMatch[]> {
  const short = (line: string) => cutText(line, lineChars);
  const found: ScanMatch[] = [];
  for (const [index, line] of lines.entries()) {
    if (found.length >= matchesMax || pace.over) break;
    await pace.pause();
    const start = search(cutText(line, charsSearched));
    if (start < 0) continue;
    const from = Math.max(0, index - contextLines);
    const around = contextLines === 0 ? [] : lines.slice(from, index + contextLines + 1);
    const preview = shown(line, start, lineChars);
    found.push({ line: index + 1, preview, context: around.map(short) });
  }
  return found;
}

/** The beginning of a line, or the part around the match if the match is further back. */
function shown(line: string, start: number, chars: number): string {
  if (start < chars / 2 || line.length <= chars) return cutText(line, chars);
  const from = start - Math.floor(chars / 3);
  return `… ${cutText(line.slice(from), chars)}`.toWellFormed();
}
