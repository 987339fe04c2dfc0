import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Draft } from '../../timeline/block.ts';
import type { FailedModel, Model, ModelUsage } from '../ports/model.ts';
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

/** The sums by model role, for roles that were used. */
export function usageByRole(blocks: readonly Pick<Draft, 'type' | 'data'>[]): JsonObject {
  const roles = new Set<string>();
  const roleOf = ({ data }: Pick<Draft, 'data'>) => {
    const role = isJsonObject(data) ? data['role'] : undefined;
    return typeof role === 'string' ? role : 'decision';
  };
  const calls = blocks.filter(({ type }) => type === 'model.call');
  for (const call of calls) roles.add(roleOf(call));
  return Object.fromEntries(
    [...roles].map((role) => [role, usageOf(calls.filter((call) => roleOf(call) === role))]),
  );
}

/** All tokens sent or received, cached or not. */
export function tokensOf(usage: JsonObject): number {
  return keys
    .filter((key) => key !== 'cost_usd')
    .reduce((sum, key) => sum + Number(usage[key] ?? 0), 0);
}

/** The data of a `model.call` whose answer holds no decision. */
export function toWireCall(
  model: Model,
  { model: name, finish, usage, estimated, insteadOf }: MeteredUsage,
): JsonObject {
  const costUsd = model.costUsd(usage, name);
  const used = toWireUsage(usage, costUsd);
  const counted = estimated ? { estimated } : {};
  return {
    ...{ model: name, finish, usage: used, cost_usd: costUsd, ...counted },
    ...toWireFailed(insteadOf),
    actions: [],
  };
}

/** A model that failed before a fallback answered. */
export function toWireFailed(failed: FailedModel | undefined): JsonObject {
  return failed ? { instead_of: { model: failed.model, code: failed.code } } : {};
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
