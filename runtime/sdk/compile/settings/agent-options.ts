import { type AgentSettings, agentDefaults } from '../../contract/agent-settings.ts';
import type { AgentOptions } from '../../define/agent.ts';

/** What no bundle may exceed. */
export type Ceilings = {
  readonly turnCostUsd?: number;
  readonly execMemoryMb?: number;
  readonly execTimeoutMs?: number;
};

export type ResolvedOptions = Pick<
  AgentSettings,
  'models' | 'budgets' | 'policies' | 'context' | 'exec' | 'protocol' | 'answer'
>;

/** Later speakers win, key by key; then the ceilings bind. */
export function resolveOptions(
  speakers: readonly AgentOptions[],
  ceilings: Ceilings,
): ResolvedOptions {
  const said = speakers.reduce(merge, agentDefaults);
  return {
    models: said.models,
    policies: said.policies,
    context: said.context,
    protocol: said.protocol,
    answer: said.answer,
    budgets: {
      ...said.budgets,
      ...withCeiling('costUsd', said.budgets.costUsd, ceilings.turnCostUsd),
    },
    exec: {
      ...said.exec,
      timeoutMs: Math.min(said.exec.timeoutMs, ceilings.execTimeoutMs ?? Number.MAX_SAFE_INTEGER),
      memoryMb: Math.min(said.exec.memoryMb, ceilings.execMemoryMb ?? Number.MAX_SAFE_INTEGER),
    },
  };
}

function merge(base: ResolvedOptions, speaker: AgentOptions): ResolvedOptions {
  return {
    models: { ...base.models, ...speaker.models },
    budgets: { ...base.budgets, ...speaker.budgets },
    policies: { ...base.policies, ...speaker.policies },
    context: { ...base.context, ...speaker.context },
    exec: { ...base.exec, ...speaker.exec },
    protocol: speaker.protocol ?? base.protocol,
    answer: speaker.answer ?? base.answer,
  };
}

/** An unstated budget is unlimited, so a ceiling stands in for it. */
function withCeiling<Key extends string>(key: Key, stated: number | undefined, ceiling?: number) {
  if (ceiling === undefined) return {};
  return { [key]: Math.min(stated ?? ceiling, ceiling) };
}
