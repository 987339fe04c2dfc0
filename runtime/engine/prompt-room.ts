import type { AgentSettings } from '../sdk/agent-settings.ts';
import type { Engine } from './engine.ts';
import { announceTokensReserved, outputTokensReserved } from './limits.ts';
import type { CompactSettings } from './plan-compact.ts';
import { systemOf } from './prompt-inputs.ts';

/** Tokens that are left for the timeline, of the agent's limit or the model's window: the smaller of them. */
export function roomOf(engine: Engine, agent: AgentSettings): CompactSettings {
  const { maxTokens, recentTurns } = agent.context;
  const most = Math.min(maxTokens, engine.model(agent, 'decision').contextTokens);
  return {
    room: most - systemOf(agent).tokens - outputTokensReserved - announceTokensReserved,
    recentTurns,
  };
}
