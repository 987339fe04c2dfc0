import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type Json } from '../../../../runtime/base/json.ts';
import type { Protocol } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { Model, ModelAbilities } from '../../../../runtime/engine/ports/model.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { openHarness } from '../kit/harness.ts';

type HarnessOptions = NonNullable<Parameters<typeof openHarness>[1]>;

export const noAbilities: ModelAbilities = { tools: false, forcedChoice: false, json: false };

/** The same model with stated abilities. */
export function able(abilities: ModelAbilities): (model: Model) => Model {
  return (model) => ({
    id: model.id,
    contextTokens: model.contextTokens,
    abilities,
    costUsd: (usage) => model.costUsd(usage),
    stream: (request, options) => model.stream(request, options),
  });
}

/** The log of one turn in this protocol. */
export async function logOf(
  protocol: Protocol,
  replies: readonly Reply[],
  options: HarnessOptions = {},
): Promise<readonly Block[]> {
  const agent = { protocol, ...options.agent };
  await using harness = await openHarness(replies, { ...options, agent });
  await harness.say('What is 1 + 2?');
  await harness.closed();
  return await harness.blocks();
}

/** Blocks without ids, times and what only says how the reply was written. */
export function comparable(blocks: readonly Block[]): readonly Json[] {
  const text = JSON.stringify(
    blocks
      .filter(({ type }) => type !== 'cache.break')
      .map(({ type, author, path, call, mime, text: said, data, meta, seq }) => {
        const kept = restOf(type, data ?? null);
        return { seq, type, author, path, call, mime, text: said, data: kept, meta };
      }),
  );
  const names = new Map<string, string>();
  return JSON.parse(
    text.replace(/\b(turn|tc|msg|conv)_[0-9a-z]{10,}/g, (id, kind: string) => {
      const name = names.get(id) ?? `${kind}_${names.size}`;
      names.set(id, name);
      return name;
    }),
  );
}

function restOf(type: string, data: Json): Json {
  if (!isJsonObject(data)) return data;
  const { round = null, actions = null, finish = null, phase = null, usage: _, ...rest } = data;
  const { usage_by_role: __, ...end } = rest;
  if (type === 'turn.close') return end;
  if (type === 'round.open') return { round, phase };
  return type === 'model.call' ? { actions, finish } : data;
}

/** The protocol of each round. */
export function roundsOf(blocks: readonly Block[]): readonly (string | undefined)[] {
  return blocks
    .filter(({ type }) => type === 'round.open')
    .map(({ data }) => (isJsonObject(data) ? (data['protocol'] as string | undefined) : undefined));
}
