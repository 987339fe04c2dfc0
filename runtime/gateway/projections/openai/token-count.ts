import type { Json, JsonObject } from '../../../base/json.ts';
import { objectOf } from '../../feed/wire-json.ts';
import type { TokenCount } from './steps.ts';

export const noTokens: TokenCount = { input: 0, cached: 0, output: 0, costUsd: 0 };

/** From the usage of a turn on the wire, where input excludes what was read from or written to a cache. */
export function toTokenCount(usage: Json | undefined): TokenCount {
  const fields = objectOf(usage);
  const count = (name: string) => Number(fields[name] ?? 0);
  const cached = count('cache_read_tokens');
  return {
    input: count('input_tokens') + cached + count('cache_write_tokens'),
    cached,
    output: count('output_tokens'),
    costUsd: count('cost_usd'),
  };
}

/** What was used since an earlier count of the same turn. */
export function tokensSince(before: TokenCount, now: TokenCount): TokenCount {
  const more = (name: keyof TokenCount) => Math.max(0, now[name] - before[name]);
  return {
    input: more('input'),
    cached: more('cached'),
    output: more('output'),
    costUsd: more('costUsd'),
  };
}

export function chatUsage({ input, cached, output, costUsd }: TokenCount): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: 0 },
    cost_usd: costUsd,
  };
}

export function responseUsage({ input, cached, output, costUsd }: TokenCount): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
    cost_usd: costUsd,
  };
}
