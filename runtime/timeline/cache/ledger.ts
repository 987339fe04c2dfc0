import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { emptyView, foldAll } from '../fold/fold.ts';
import type { TurnId } from '../ids.ts';
import { cacheEntryTtlMs } from '../limits.ts';
import type { View } from '../view.ts';
import { causeOf, explain, isCold, type Miss } from './explain.ts';
import { commonParts, keptParts, type Request, toRequest } from './request.ts';

/** One model call: what the provider billed, and why tokens missed the cache. Tokens as the provider reports them. */
export type LedgerCall = {
  /** Seq of its `model.call`. */
  readonly seq: number;
  readonly turn: TurnId;
  readonly round: number | undefined;
  readonly at: string;
  readonly model: string;
  readonly role: string;
  readonly inputTokens: number;
  readonly readTokens: number;
  /** Tokens not read from a cache; the sum of `misses`. */
  readonly missedTokens: number;
  readonly misses: readonly Miss[];
};

/**
 * Every input token that missed the cache, by cause and block. Uses only the log: renders each request again and compares
 * it with the previous one. Scales our token counts, call by call, to those of the provider.
 */
export function cacheLedger(
  log: readonly Block[],
  { ttlMs = cacheEntryTtlMs }: { ttlMs?: number } = {},
): readonly LedgerCall[] {
  const reading = new Reading(log, ttlMs);
  return log.flatMap((block) => reading.take(block) ?? []);
}

class Reading {
  readonly #log: readonly Block[];
  readonly #ttlMs: number;
  #view: View = emptyView;
  #folded = 0;
  #before: Request | undefined;
  #now: Request | undefined;
  #breaks: Block[] = [];
  /** Cache entries of the requests so far, while the prefix is unchanged: see `Request.entries`. */
  #entries: readonly number[] = [];

  constructor(log: readonly Block[], ttlMs: number) {
    this.#log = log;
    this.#ttlMs = ttlMs;
  }

  take(block: Block): LedgerCall | undefined {
    if (block.type === 'cache.break') this.#breaks.push(block);
    if (block.type === 'round.open') this.#now = this.#open(block);
    if (block.type !== 'model.call') return undefined;
    const billed = toCall(block);
    const decides = billed.role === 'decision' && block.call === undefined;
    if (this.#now && decides) return this.#answered(this.#now, billed);
    return { ...billed, round: undefined, misses: aside(billed) };
  }

  #open(block: Block): Request {
    const asOf = dataOf('round.open', block)?.as_of ?? 0;
    const from = this.#folded;
    while ((this.#log[this.#folded]?.seq ?? Number.POSITIVE_INFINITY) <= asOf) this.#folded += 1;
    this.#view = foldAll(this.#view, this.#log.slice(from, this.#folded));
    return toRequest(this.#view, block);
  }

  #answered(now: Request, billed: Billed): LedgerCall {
    // Models do not share cache entries.
    const same = this.#before && !this.#breaks.some((block) => causeOf(block) === 'model');
    const common = this.#before && same ? commonParts(this.#before, now) : 0;
    const cold = this.#before && isCold(this.#before, now, this.#ttlMs);
    const entries = cold ? [] : this.#entries.filter((parts) => parts <= common);
    const kept = keptParts(entries, now);
    const misses = explain({
      before: this.#before,
      now,
      kept,
      breaks: this.#breaks,
      ttlMs: this.#ttlMs,
      usage: billed,
    });
    this.#before = now;
    this.#breaks = [];
    // A mark in the part that was read creates no entry: nothing is written there.
    this.#entries = [...entries, ...now.entries.filter((parts) => parts > kept)];
    return { ...billed, round: dataOf('round.open', now.opened)?.round, misses };
  }
}

type Billed = Omit<LedgerCall, 'misses' | 'round'>;

/** A call with its own prompt, which does not contain the prefix of the conversation. */
function aside({ seq, missedTokens: tokens }: Billed): readonly Miss[] {
  return tokens === 0 ? [] : [{ cause: 'aside', tokens, block: seq }];
}

function toCall(block: Block): Billed {
  const data = isJsonObject(block.data) ? block.data : {};
  // If a call was cut off before its provider reported usage, the cached tokens are unknown.
  const known = data['estimated'] !== true;
  const usage = known && isJsonObject(data['usage']) ? data['usage'] : {};
  const count = (key: string) => Math.max(0, Number(usage[key] ?? 0)) || 0;
  const readTokens = count('cache_read_tokens');
  const missedTokens = count('input_tokens') + count('cache_write_tokens');
  return {
    seq: block.seq,
    turn: block.turn,
    at: block.at,
    model: String(data['model'] ?? ''),
    role: String(data['role'] ?? 'decision'),
    inputTokens: readTokens + missedTokens,
    readTokens,
    missedTokens,
  };
}
