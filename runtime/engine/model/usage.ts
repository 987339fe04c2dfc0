import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import type { Model, ModelUsage } from '../ports/model.ts';
import type { MeteredUsage } from './usage-meter.ts';

const keys = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'cost_usd',
] as const;

/** The sum over every model call among the blocks, with the field names of the wire. */
export function usageOf(blocks: readonly Pick<Draft, 'type' | 'data'>[]): JsonObject {
  const total: Record<string, number> = Object.fromEntries(keys.map((key) => [key, 0]));
  for (const { type, data } of blocks) {
    const usage = type === 'model.call' && isJsonObject(data) ? data['usage'] : undefined;
    if (!isJsonObject(usage)) continue;
    for (const key of keys) total[key] = (total[key] ?? 0) + Number(usage[key] ?? 0);
  }
  return total;
}

/** All tokens sent or received, cached or not. */
export function tokensOf(usage: JsonObject): number {
  return keys.filter((key) => key !== 'cost_usd').reduce((sum, key) => sum + Number(usage[key]), 0);
}

/** The data of a `model.call` whose answer holds no decision. */
export function toWireCall(
  model: Model,
  { model: name, finish, usage, estimated }: MeteredUsage,
): JsonObject {
  const costUsd = model.costUsd(usage, name);
  const used = toWireUsage(usage, costUsd);
  const counted = estimated ? { estimated } : {};
  return { model: name, finish, usage: used, cost_usd: costUsd, ...counted, actions: [] };
}

export function toWireUsage(usage: ModelUsage, costUsd: number): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cost_usd: costUsd,
  };
}
