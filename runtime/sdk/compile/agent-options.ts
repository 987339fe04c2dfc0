import type { AgentOptions } from '../agent.ts';
import { type AgentSettings, agentDefaults } from '../agent-settings.ts';

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

type Group = 'models' | 'budgets' | 'policies' | 'context' | 'exec';
type Words<Name extends Group> = Readonly<Record<keyof NonNullable<AgentOptions[Name]>, true>>;

const words: { readonly [Name in Group]: Words<Name> } = {
  models: { decision: true, answer: true, summary: true, selection: true, small: true },
  budgets: { rounds: true, tokens: true, costUsd: true, wallMs: true, actionsPerRound: true },
  policies: {
    multiAction: true,
    malformed: true,
    toolFailure: true,
    exhausted: true,
    hiddenTool: true,
  },
  context: { maxTokens: true, recentTurns: true, intactTurns: true, ttlMs: true },
  exec: { languages: true, timeoutMs: true, memoryMb: true, fileMb: true },
};

/** What an agent says and nobody knows, a sentence each: who writes JavaScript is told by no compiler. */
export function unknownWords(agent: AgentOptions): readonly string[] {
  const groups = Object.entries(words).map(([name, known]) => ({ name, known }));
  return groups.flatMap(({ name, known }) => {
    const said: unknown = Reflect.get(agent, name);
    return Object.keys(Object(said))
      .filter((word) => !Object.hasOwn(known, word))
      .map((word) => `${name} has no “${word}”, but ${Object.keys(known).join(', ')}`);
  });
}

/** Later speakers win, key by key; then the ceilings bind. */
export function resolveOptions(
  speakers: readonly AgentOptions[],
  ceilings: Ceilings,
): ResolvedOptions {
  const said = speakers.reduce(over, agentDefaults);
  return {
    models: said.models,
    policies: said.policies,
    context: said.context,
    protocol: said.protocol,
    answer: said.answer,
    budgets: { ...said.budgets, ...capped('costUsd', said.budgets.costUsd, ceilings.turnCostUsd) },
    exec: {
      ...said.exec,
      timeoutMs: Math.min(said.exec.timeoutMs, ceilings.execTimeoutMs ?? Number.MAX_SAFE_INTEGER),
      memoryMb: Math.min(said.exec.memoryMb, ceilings.execMemoryMb ?? Number.MAX_SAFE_INTEGER),
    },
  };
}

function over(base: ResolvedOptions, speaker: AgentOptions): ResolvedOptions {
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
function capped<Key extends string>(key: Key, stated: number | undefined, ceiling?: number) {
  if (ceiling === undefined) return {};
  return { [key]: Math.min(stated ?? ceiling, ceiling) };
}
