import type { ModelUsage } from '../../../runtime/engine/ports/model.ts';

/** One content block of a request, as a provider's cache sees it. */
export type SentBlock = {
  readonly text: string;
  readonly tokens: number;
  /** A cache mark after this block, and how long the entry it writes lives. */
  readonly mark?: Lifetime;
};
export type Lifetime = 'short' | 'long';

/** What a request was billed for, in tokens. Long entries cost more to write. */
export type Billed = Omit<ModelUsage, 'outputTokens'> & { readonly longWriteTokens: number };

export interface ProviderCache {
  meter(blocks: readonly SentBlock[], nowMs: number): Billed;
}

/** Prices in units of one input token. */
export const price = { input: 1, read: 0.1, write: 1.25, longWrite: 2 } as const;
export const lifetimesMs = { short: 5 * 60_000, long: 60 * 60_000 } as const;
const marksMax = 4;
const lookBackBlocks = 20;
const tokensMin = 1_024;
const automaticStepTokens = 128;

export function costOf({
  inputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  longWriteTokens,
}: Billed): number {
  return (
    inputTokens * price.input +
    cacheReadTokens * price.read +
    (cacheWriteTokens - longWriteTokens) * price.write +
    longWriteTokens * price.longWrite
  );
}

/**
 * A cache with explicit marks: at most four marks, an entry for each, looked for at the mark and 19 blocks
 * before it, alive five minutes (or an hour) since it was last used.
 */
export function createMarkedCache(): ProviderCache {
  const entries = new Map<number, { untilMs: number; readonly lifetime: Lifetime }>();
  return {
    meter(blocks, nowMs) {
      const prefixes = prefixesOf(blocks);
      const marks = blocks.flatMap(({ mark }, index) => (mark ? [{ index, mark }] : []));
      checkMarks(marks.map(({ mark }) => mark));
      const alive = (index: number) =>
        (entries.get(prefixes.names[index] ?? 0)?.untilMs ?? 0) > nowMs;
      const hit = newestHit(
        marks.map(({ index }) => index),
        alive,
      );
      for (let index = 0; index <= hit; index += 1) {
        const entry = entries.get(prefixes.names[index] ?? 0);
        if (entry && entry.untilMs > nowMs) entry.untilMs = nowMs + lifetimesMs[entry.lifetime];
      }
      const written = marks.filter(
        ({ index }) => index > hit && prefixes.tokens(index) >= tokensMin,
      );
      for (const { index, mark } of written) {
        const untilMs = nowMs + lifetimesMs[mark];
        entries.set(prefixes.names[index] ?? 0, { untilMs, lifetime: mark });
      }
      const read = prefixes.tokens(hit);
      const end = written.at(-1)?.index ?? hit;
      const longEnd = written.findLast(({ mark }) => mark === 'long')?.index ?? hit;
      return {
        inputTokens: prefixes.tokens(blocks.length - 1) - prefixes.tokens(end),
        cacheReadTokens: read,
        cacheWriteTokens: prefixes.tokens(end) - read,
        longWriteTokens: prefixes.tokens(longEnd) - read,
      };
    },
  };
}

/** A provider refuses more marks than it has, and a long entry behind a short one. */
function checkMarks(marks: readonly Lifetime[]): void {
  if (marks.length > marksMax)
    throw new Error(`${marks.length} cache marks; there are ${marksMax}`);
  if (marks.lastIndexOf('long') > marks.indexOf('short') && marks.includes('short'))
    throw new Error('a long mark stands behind a short one');
}

function newestHit(marks: readonly number[], alive: (index: number) => boolean): number {
  let best = -1;
  for (const mark of marks.toReversed()) {
    const end = Math.max(0, mark - lookBackBlocks + 1);
    for (let index = mark; index >= end && index > best; index -= 1) {
      if (alive(index)) best = index;
    }
  }
  return best;
}

/** A cache that needs no marks: the longest beginning that any request of the last minutes shared, in steps of 128 tokens. */
export function createAutomaticCache(): ProviderCache {
  const seen = new Map<number, number>();
  return {
    meter(blocks, nowMs) {
      const prefixes = prefixesOf(blocks);
      const hit = prefixes.names.findLastIndex((name) => (seen.get(name) ?? 0) > nowMs);
      for (const name of prefixes.names) seen.set(name, nowMs + lifetimesMs.short);
      const shared = prefixes.tokens(hit);
      const read =
        shared < tokensMin ? 0 : Math.floor(shared / automaticStepTokens) * automaticStepTokens;
      return {
        inputTokens: prefixes.tokens(blocks.length - 1) - read,
        cacheReadTokens: read,
        cacheWriteTokens: 0,
        longWriteTokens: 0,
      };
    },
  };
}

type Prefixes = {
  /** Stands for everything up to and with the block of this index. */
  readonly names: readonly number[];
  tokens(index: number): number;
};

/** Beginnings of requests: the same blocks lead to the same place. */
type Place = { readonly name: number; readonly next: Map<string, Place> };
const start: Place = { name: 0, next: new Map() };
let places = 0;

function prefixesOf(blocks: readonly SentBlock[]): Prefixes {
  const sums: number[] = [];
  const names: number[] = [];
  let sum = 0;
  let place = start;
  for (const { text, tokens } of blocks) {
    sum += tokens;
    place = after(place, text);
    sums.push(sum);
    names.push(place.name);
  }
  return { names, tokens: (index) => sums[index] ?? 0 };
}

function after({ next }: Place, text: string): Place {
  const known = next.get(text);
  if (known) return known;
  places += 1;
  const made = { name: places, next: new Map() };
  next.set(text, made);
  return made;
}
