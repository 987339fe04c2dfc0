import { setImmediate } from 'node:timers/promises';
import { rgSliceMs } from './limits.ts';

export type ScanMatch = {
  /** 1-based. */
  readonly line: number;
  readonly preview: string;
  /** The line with those around it; empty where none were asked for. */
  readonly context: readonly string[];
};
export type ScanRequest = {
  readonly test: (line: string) => boolean;
  readonly contextLines: number;
  readonly matchesMax: number;
  readonly lineChars: number;
};

/** Lets others work between slices of a search. */
export type Pace = { pause(): Promise<void>; readonly over: boolean };

/** Throws the reason of `signal` once that is aborted; `over` when the time is up. */
export function openPace({
  signal,
  deadlineMs,
}: {
  signal: AbortSignal;
  deadlineMs: number;
}): Pace {
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

/** The lines of a text that fit, until there are enough or the time is up. */
export async function scan(
  lines: readonly string[],
  { test, contextLines, matchesMax, lineChars }: ScanRequest,
  pace: Pace,
): Promise<readonly ScanMatch[]> {
  const short = (line: string) => line.slice(0, lineChars).toWellFormed();
  const found: ScanMatch[] = [];
  for (const [index, line] of lines.entries()) {
    if (found.length >= matchesMax || pace.over) break;
    await pace.pause();
    if (!test(line)) continue;
    const from = Math.max(0, index - contextLines);
    const around = contextLines === 0 ? [] : lines.slice(from, index + contextLines + 1);
    found.push({ line: index + 1, preview: short(line), context: around.map(short) });
  }
  return found;
}
