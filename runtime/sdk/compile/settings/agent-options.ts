import { type AgentSettings, agentDefaults } from '../../contract/agent-settings.ts';
import { delegationDepthMax, sideBySideMax } from '../../contract/limits.ts';
import type { AgentOptions } from '../../define/agent.ts';

/** Limits that no bundle may exceed. */
export type Ceilings = {
  readonly turnCostUsd?: number;
  readonly execMemoryMb?: number;
  readonly execTimeoutMs?: number;
  readonly execCpus?: number;
};

export type ResolvedOptions = Pick<
  AgentSettings,
  | 'models'
  | 'modelChoices'
  | 'budgets'
  | 'policies'
  | 'context'
  | 'exec'
  | 'delegation'
  | 'decides'
  | 'protocol'
  | 'promptForm'
  | 'answer'
  | 'memory'
>;

/** Later layers override earlier ones, key by key. Then the ceilings apply. */
export function resolveOptions(
  layers: readonly AgentOptions[],
  ceilings: Ceilings,
): ResolvedOptions {
  const said = layers.reduce<ResolvedOptions>(merge, agentDefaults);
  return {
    models: said.models,
    ...choicesOf(said.modelChoices),
    policies: said.policies,
    context: said.context,
    delegation: within(said.delegation),
    decides: said.decides,
    protocol: said.protocol,
    promptForm: said.promptForm,
    answer: said.answer,
    memory: said.memory,
    budgets: {
      ...said.budgets,
      ...withCeiling('costUsd', said.budgets.costUsd, ceilings.turnCostUsd),
    },
    exec: {
      ...said.exec,
      timeoutMs: Math.min(said.exec.timeoutMs, ceilings.execTimeoutMs ?? Number.MAX_SAFE_INTEGER),
      memoryMb: Math.min(said.exec.memoryMb, ceilings.execMemoryMb ?? Number.MAX_SAFE_INTEGER),
      ...(said.exec.cpus === undefined
        ? {}
        : { cpus: Math.min(said.exec.cpus, ceilings.execCpus ?? Number.MAX_SAFE_INTEGER) }),
    },
  };
}

function merge(base: ResolvedOptions, layer: AgentOptions): ResolvedOptions {
  return {
    models: { ...base.models, ...layer.models },
    ...choicesOf(layer.modelChoices ?? base.modelChoices),
    budgets: { ...base.budgets, ...layer.budgets },
    policies: { ...base.policies, ...layer.policies },
    context: { ...base.context, ...layer.context },
    exec: { ...base.exec, ...layer.exec },
    delegation: { ...base.delegation, ...layer.delegation },
    decides: base.decides,
    protocol: layer.protocol ?? base.protocol,
    promptForm: layer.promptForm ?? base.promptForm,
    answer: layer.answer ?? base.answer,
    memory: { ...base.memory, ...layer.memory },
  };
}

/** The list as a whole: an empty one takes the choice away. */
function choicesOf(choices: AgentOptions['modelChoices']): Pick<AgentSettings, 'modelChoices'> {
  return choices ? { modelChoices: choices } : {};
}

function within(delegation: AgentSettings['delegation']): AgentSettings['delegation'] {
  const { depth, sideBySide } = delegation;
  return {
    ...delegation,
    depth: Math.min(Math.max(depth, 1), delegationDepthMax),
    sideBySide: Math.min(Math.max(sideBySide, 1), sideBySideMax),
  };
}

/** A budget that is not set is unlimited, so the ceiling takes its place. */
function withCeiling<Key extends string>(key: Key, stated: number | undefined, ceiling?: number) {
  if (ceiling === undefined) return {};
  return { [key]: Math.min(stated ?? ceiling, ceiling) };
}
