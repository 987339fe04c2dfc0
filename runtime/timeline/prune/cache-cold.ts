import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../block.ts';
import { dataOf } from '../catalogue/catalogue.ts';
import { cacheAliveShareMin, cacheLifeMsMax, cacheTtlBufferMs } from '../limits.ts';
import { promptsConversation } from '../prompt-rounds.ts';
import type { RoundView, View } from '../view.ts';

/** Why no part of the prompt is in the provider's cache any more; recorded with the resulting prune. */
export type ColdCache = {
  /** `clock`: the lifetime ended. `reported`: the provider reports no cached tokens. `changed`: model, system text or renderer changed. */
  readonly by: 'clock' | 'reported' | 'changed';
  readonly idle_ms: number;
  readonly ttl_ms: number;
  /** Seq of the last answered model call. */
  readonly last_call: number;
};

export type CacheSettings = {
  /** Lifetime of an unread cache entry in milliseconds; 0: the cache never counts as cold. */
  readonly ttlMs: number;
  /** Model, system text or renderer differ between the next prompt and the last one. */
  readonly changed: boolean;
};

/** One answered model call, from the log. Times in epoch milliseconds. */
type Call = {
  readonly seq: number;
  readonly model: string;
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly read: number;
  readonly written: number;
  /** The call ended before the provider reported its cache usage. */
  readonly cutShort: boolean;
};

/**
 * Undefined while the prefix may still be cached: an edit would then cost what the cache saves. Reports of the provider
 * take precedence over the clock. A failed call leaves no `model.call`, so it does not refresh the cache. `now` in epoch
 * milliseconds.
 */
export function coldness(
  view: View,
  now: number,
  { ttlMs, changed }: CacheSettings,
): ColdCache | undefined {
  const last = ttlMs > 0 ? lastCall(view) : undefined;
  if (!last) return undefined;
  const idle = now - last.answeredAt;
  const evidence = { idle_ms: Math.max(0, idle), ttl_ms: ttlMs, last_call: last.seq };
  if (changed) return { by: 'changed', ...evidence };
  if (keptNothing(view, last)) return { by: 'reported', ...evidence };
  if (idle < ttlMs - cacheTtlBufferMs || idle <= livedFor(view)) return undefined;
  return { by: 'clock', ...evidence };
}

function lastCall({ turns }: View): Call | undefined {
  for (const { rounds } of turns.toReversed()) {
    const round = rounds.findLast((each) => toCall(each) !== undefined);
    if (round) return toCall(round);
  }
  return undefined;
}

/** The provider usually reports cache writes, but neither read nor wrote anything for this prompt. */
function keptNothing(view: View, last: Call): boolean {
  if (last.cutShort || last.read + last.written > 0) return false;
  return callsOf(view).some(({ model, written }) => model === last.model && written > 0);
}

/** The longest pause after which most of the cache was still read; providers may keep entries longer than they state. */
function livedFor(view: View): number {
  const calls = callsOf(view);
  const pauses = calls.slice(1).flatMap((call, index) => {
    const before = calls[index];
    const cached = before ? before.read + before.written : 0;
    const alive = cached > 0 && call.read >= cached * cacheAliveShareMin;
    return before && alive && before.model === call.model ? [call.askedAt - before.answeredAt] : [];
  });
  return Math.min(cacheLifeMsMax, Math.max(...pauses));
}

function callsOf({ turns }: View): readonly Call[] {
  return turns.flatMap(({ rounds }) => rounds.flatMap((round) => toCall(round) ?? []));
}

function toCall(round: RoundView): Call | undefined {
  const {
    blocks: [opened],
    modelCall,
  } = round;
  if (!modelCall || !opened || !promptsConversation(round)) return undefined;
  const { model = '', usage } = dataOf('model.call', modelCall) ?? {};
  const read = count(usage?.['cache_read_tokens']);
  const written = count(usage?.['cache_write_tokens']);
  const cutShort = ['interrupted', 'violation'].includes(String(finishOf(modelCall)));
  if (cutShort && !hasBegun(modelCall)) return undefined;
  return {
    seq: modelCall.seq,
    model,
    askedAt: Date.parse(opened.at),
    answeredAt: Date.parse(modelCall.at),
    read,
    written,
    cutShort,
  };
}

function finishOf({ data }: Block): unknown {
  return isJsonObject(data) ? data['finish'] : undefined;
}

/** The provider has read the prompt once it sends a first token. */
function hasBegun({ data }: Block): boolean {
  return isJsonObject(data) && typeof data['first_token_ms'] === 'number';
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
