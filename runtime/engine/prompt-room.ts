import type { AgentSettings } from '../sdk/agent-settings.ts';
import type { Engine } from './engine.ts';
import { announceTokensReserved, outputTokensReserved } from './limits.ts';
import type { CompactSettings } from './plan-compact.ts';
import { systemOf } from './prompt-inputs.ts';

/** Tokens that are left for the timeline, of the agent's limit or the model's window: the smaller of them. */
export function roomOf(engine: Engine, agent: AgentSettings): CompactSettings {
  const { maxTokens, recentTurns } = agent.context;
  const { contextTokens, maxOutputTokens = outputTokensReserved } = engine.model(agent, 'decision');
  const most = Math.min(maxTokens, contextTokens);
  const reserved = Math.min(maxOutputTokens, outputTokensReserved);
  return {
    room: most - systemOf(agent).tokens - reserved - announceTokensReserved,
    recentTurns,
  };
}
