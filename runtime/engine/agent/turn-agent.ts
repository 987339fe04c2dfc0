import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { TurnView, View } from '../../timeline/view.ts';
import type { Tool } from '../../tools/ports/tool.ts';
import { optionsOf } from './turn-data.ts';
import {
  agentInPrompt,
  type RoundProtocol,
  type VisibleAgent,
  visibleAgent,
} from './visible-agent.ts';

export type { RoundProtocol, VisibleAgent };

type TurnPlace = { readonly visible: View['visible']; readonly turn: TurnView };

/** The agent of a turn with the tools that may run: without exec tools if the message of the turn switched them off. */
export function agentOfTurn(agent: AgentSettings, { visible, turn }: TurnPlace): VisibleAgent {
  return allowed(visibleAgent(agent, { visible, turn: turn.id }), turn);
}

/** The agent of a turn with the tools that its next prompt shows. */
export function promptAgentOfTurn(
  agent: AgentSettings,
  { visible, turn, protocol }: TurnPlace & { readonly protocol: RoundProtocol },
): AgentSettings {
  return allowed(agentInPrompt(agent, { visible, turn: turn.id, protocol }), turn);
}

function allowed<Agent extends AgentSettings>(agent: Agent, turn: TurnView): Agent {
  if (optionsOf(turn).exec !== false) return agent;
  // The same agent gives the same object, so that what is made from it is made once.
  const made = narrowed.get(agent) ?? withoutExec(agent);
  narrowed.set(agent, made);
  return made as Agent;
}

const narrowed = new WeakMap<AgentSettings, AgentSettings>();

function withoutExec(agent: AgentSettings | VisibleAgent): AgentSettings {
  const off = agent.tools.filter(isExec);
  const hidden = 'hidden' in agent ? { hidden: [...agent.hidden, ...off] } : {};
  const tools = agent.tools.filter((tool) => !isExec(tool));
  return { ...agent, ...hidden, tools, exec: { ...agent.exec, languages: [] } };
}

function isExec({ spec }: Tool): boolean {
  return spec.kind === 'exec';
}

/** Whether the tool is an exec tool that the message of the turn switched off. */
export function isSwitchedOff(hidden: readonly Tool[], id: string): boolean {
  return hidden.some((tool) => tool.spec.id === id && isExec(tool));
}
