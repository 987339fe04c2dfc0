import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';
import { needsSelection } from '../../tools/visibility/visible-tools.ts';
import { planTool } from '../plan/steered-rounds.ts';
import type { Engine } from '../ports/engine.ts';
import { inputsOf, isChanged, protocolOf } from './prompt-inputs.ts';
import { roomOf } from './prompt-room.ts';
import { promptAgentOfTurn, withHint } from './turn-agent.ts';
import { budgetsOf } from './turn-data.ts';
import { agentKey } from './visible-agent.ts';

type PlanOptions = {
  readonly agent: AgentSettings;
  readonly turn: TurnView;
  readonly view: View;
};

/** What the plan of a turn must know about its agent. */
export function planSettings(engine: Engine, { agent, turn, view }: PlanOptions) {
  if (agent.external) return externalSettings(turn, agent);
  const { rounds, wallMs, tokens, costUsd } = budgetsOf(turn, agent.budgets);
  const { exhausted, steer } = agent.policies;
  const { visible } = view;
  const choice = protocolOf(engine, withHint(agent, turn), view);
  const shown = promptAgentOfTurn(agent, { visible, turn, protocol: choice.protocol });
  const state = visible.get(agentKey(agent));
  return {
    roundsMax: rounds,
    wallMs,
    tokensMax: tokens,
    costUsdMax: costUsd,
    exhausted,
    // Without react.plan the model cannot say that a steer needs more work.
    steer: agent.tools.some(({ spec }) => spec.id === planTool) ? steer : 'redirect',
    answer: agent.answer,
    needsOutput: agent.output !== undefined,
    onFailure: (tool: string) => failurePolicyOf(agent, tool),
    recalls: recalls(engine, agent, turn),
    selects: needsSelection(agent, { state, turn: turn.id }),
    compact: roomOf(engine, shown, view),
    prune: { ...agent.context, changed: isChanged(view, inputsOf(engine, shown, choice)) },
  };
}

/** Once in a turn: the log says when it has been done. */
function recalls({ memory }: Engine, agent: AgentSettings, { blocks }: TurnView): boolean {
  const { mode } = agent.memory;
  if (!memory || (mode !== 'static' && mode !== 'both')) return false;
  return !blocks.some(({ type }) => type === 'memory.recalled');
}

/** An agent program has no prompt that could be pruned or compacted, and nothing to finish without its tools. */
function externalSettings(turn: TurnView, agent: AgentSettings) {
  const { rounds, wallMs, tokens, costUsd } = budgetsOf(turn, agent.budgets);
  return {
    ...{ roundsMax: rounds, wallMs, tokensMax: tokens, costUsdMax: costUsd, isExternal: true },
    exhausted: 'close' as const,
    steer: 'redirect' as const,
    onFailure: () => 'continue' as const,
  };
}

/** For a turn whose agent does not exist: it only closes. */
export const noAgentSettings = {
  roundsMax: 1,
  wallMs: 0,
  exhausted: 'close',
  onFailure: () => 'continue' as const,
} as const;

/** What follows a failed call: as its tool says, otherwise as the agent says. Nobody is asked about control tools. */
function failurePolicyOf(
  { tools, policies }: AgentSettings,
  id: string,
): NonNullable<ToolSpec['onFailure']> {
  const spec = tools.find((tool) => tool.spec.id === id)?.spec;
  const policy = spec?.onFailure ?? policies.toolFailure;
  return policy === 'escalate' && spec?.kind === 'control' ? 'continue' : policy;
}
