import type { AgentSettings } from '../sdk/agent-settings.ts';
import { countTokens } from '../timeline/tokens.ts';
import type { Engine } from './engine.ts';
import { announceTokensReserved, outputTokensReserved } from './limits.ts';
import type { CompactSettings } from './plan-compact.ts';
import { systemOf } from './prompt-inputs.ts';

const systemTokens = new WeakMap<AgentSettings, number>();

/** Tokens that are left for the timeline, of the agent's limit or the model's window: the smaller of them. */
export function roomOf(engine: Engine, agent: AgentSettings): CompactSettings {
  const { maxTokens, recentTurns } = agent.context;
  const most = Math.min(maxTokens, engine.model(agent, 'decision').contextTokens);
  const system = systemTokens.get(agent) ?? countTokens(systemOf(agent).text);
  systemTokens.set(agent, system);
  return { room: most - system - outputTokensReserved - announceTokensReserved, recentTurns };
}
