import { Fault } from '../../base/fault.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { View } from '../../timeline/view.ts';
import { conversationTokensMin } from '../limits.ts';
import type { CompactSettings } from '../plan/plan-compact.ts';
import type { Engine } from '../ports/engine.ts';
import { protocolOf, systemOf } from './prompt-inputs.ts';
import { announceTokensOf, outputTokensOf } from './reserved-tokens.ts';
import { describedAgent } from './visible-agent.ts';

/** Tokens left for the timeline within the agent's limit or the model's window, whichever is smaller. */
export function roomOf(
  engine: Engine,
  agent: AgentSettings,
  view: Pick<View, 'turns' | 'openTurn'>,
): CompactSettings {
  const { maxTokens, recentTurns } = agent.context;
  const output = outputTokensOf(agent);
  const { contextTokens, maxOutputTokens = output } = engine.model(agent, agent.decides);
  const { protocol } = protocolOf(engine, agent, view);
  const most = Math.min(maxTokens, contextTokens);
  const reserved = Math.min(maxOutputTokens, output) + announceTokensOf(agent);
  return {
    room: most - systemOf(agent, protocol).tokens - reserved,
    recentTurns,
  };
}

/** Fault `CONTEXT_TOO_SMALL` if system text and reserved output leave no room for a conversation. */
export function assertRoom(agent: AgentSettings): void {
  const atFirst = describedAgent(agent, { visible: new Map(), turn: undefined });
  const reserved = outputTokensOf(agent) + announceTokensOf(agent) + conversationTokensMin;
  const system = systemOf(atFirst);
  if (system.bytes + reserved < agent.context.maxTokens) return;
  const needed = system.tokens + reserved;
  if (needed < agent.context.maxTokens) return;
  const because = `agent ${agent.id} needs more than ${needed} tokens and has ${agent.context.maxTokens}`;
  throw new Fault('CONTEXT_TOO_SMALL', { because });
}
