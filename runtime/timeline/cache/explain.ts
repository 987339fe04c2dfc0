import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import type { CacheCause } from '../catalogue/view-schemas.ts';
import { cacheStepTokens, cacheToleranceShare } from '../limits.ts';
import type { Request, RequestPart } from './request.ts';

/**
 * `new`: never sent before. `tail`: SOURCES and ANNOUNCE. `cold`: the entry had expired. `aside`: a prompt that is not the
 * conversation's. `provider`: it was sent recently and unchanged, but the provider did not have it.
 * `undeclared`: the prefix changed without a declared cause, which is a bug in this program. Others: a `cache.break`.
 */
export type MissCause = 'new' | 'tail' | 'cold' | 'aside' | 'provider' | 'undeclared' | CacheCause;

export type Miss = {
  readonly cause: MissCause;
  readonly tokens: number;
  /** Seq of the first block of this text, or of the block that changed it. Absent: the system text or the tail. */
  readonly block?: number;
};

export type Usage = { readonly readTokens: number; readonly missedTokens: number };

type Case = {
  readonly before: Request | undefined;
  readonly now: Request;
  /** Number of leading parts that did not change, up to the last entry that a provider with marks should have kept. */
  readonly kept: number;
  /** Cache breaks declared since the previous request. */
  readonly breaks: readonly Block[];
  readonly ttlMs: number;
  readonly usage: Usage;
};

/** Explains every token that was not read from a cache; the sum is exactly what the provider reported. */
export function explain(found: Case): readonly Miss[] {
  const { now, usage, kept } = found;
  const missed = missedOf(now.parts, usage, kept);
  const causeOf = judge(found);
  const misses: Miss[] = [];
  missed.forEach((tokens, index) => {
    const part = now.parts[index];
    if (!part || tokens === 0) return;
    misses.push({ tokens, ...causeOf(part, index) });
  });
  return misses;
}

/** Unread tokens of each part, scaled to the provider's count: it reads a cache from the first part up to some part. */
function missedOf(
  parts: readonly RequestPart[],
  { readTokens, missedTokens }: Usage,
  kept: number,
): readonly number[] {
  const sums = runningSums(parts.map(({ tokens }) => tokens));
  const all = sums.at(-1) ?? 0;
  const scale = all === 0 ? 1 : (readTokens + missedTokens) / all;
  const start = startOf(sums, { read: readTokens / scale, kept });
  const rest = all - start;
  const cut = (sum: number) =>
    rest <= 0 ? 0 : Math.round((Math.max(0, sum - start) / rest) * missedTokens);
  const missed = sums.map((sum, index) => cut(sum) - cut(sums[index - 1] ?? 0));
  const explained = missed.reduce((sum, tokens) => sum + tokens, 0);
  // The provider billed more than our count explains: the rest can only be at the end.
  return missed.with(-1, (missed.at(-1) ?? 0) + missedTokens - explained);
}

/** Where cache reading stopped, in our tokens: at the end of a part, if one is within the difference between tokenizers. */
function startOf(sums: readonly number[], { read, kept }: { read: number; kept: number }): number {
  const tolerance = Math.max(cacheStepTokens, (sums.at(-1) ?? 0) * cacheToleranceShare);
  const ends = [0, ...sums];
  const expected = ends[kept] ?? 0;
  if (Math.abs(expected - read) <= tolerance) return expected;
  const nearest = ends.reduce((best, end) =>
    Math.abs(end - read) < Math.abs(best - read) ? end : best,
  );
  return Math.abs(nearest - read) <= tolerance ? nearest : read;
}

function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

type Why = Pick<Miss, 'cause' | 'block'>;

function judge(found: Case): (part: RequestPart, index: number) => Why {
  const { before, now, kept, breaks, ttlMs } = found;
  if (!before) return (part) => (part.in === 'tail' ? tail : { cause: 'new', ...firstOf(part) });
  const cold = isCold(before, now, ttlMs);
  const known = new Set(before.parts.map(({ key }) => key));
  const makers = new Set(breaks.map((block) => whyOf(block).block));
  const isNew = (seq: number) => seq > before.asOf && !makers.has(seq);
  const broken = breaks.find((block) => !isOfView(block)) ?? breaks[0];
  return (part, index) => {
    if (part.in === 'tail') return tail;
    if (part.blocks.some(isNew)) return { cause: 'new', ...firstOf(part) };
    if (cold && known.has(part.key)) return { cause: 'cold', ...firstOf(part) };
    if (index < kept) return { cause: 'provider', ...firstOf(part) };
    return broken ? whyOf(broken) : { cause: 'undeclared', ...firstOf(part) };
  };
}

/** Whether all cache entries have expired since. */
export function isCold(before: Request, now: Request, ttlMs: number): boolean {
  return Date.parse(now.opened.at) - Date.parse(before.opened.at) > ttlMs;
}

const tail: Why = { cause: 'tail' };

function firstOf({ blocks }: RequestPart): { block?: number } {
  return blocks.length === 0 ? {} : { block: Math.min(...blocks) };
}

const ofView: ReadonlySet<string> = new Set(['hide', 'unhide', 'prune', 'compact', 'images']);

function isOfView(block: Block): boolean {
  return ofView.has(causeOf(block) ?? '');
}

export function causeOf(block: Block): CacheCause | undefined {
  return dataOf('cache.break', block)?.cause;
}

/** The declaration of a view change directly follows the block that made it. */
function whyOf(block: Block): Why {
  const { cause = 'renderer', of } = dataOf('cache.break', block) ?? {};
  return { cause, block: of ?? (isOfView(block) ? block.seq - 1 : block.seq) };
}
