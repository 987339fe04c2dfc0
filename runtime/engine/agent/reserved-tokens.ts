import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import { hasSmallWindow } from '../../sdk/contract/small-window.ts';
import {
  announceTokensReserved,
  outputTokensReserved,
  smallAnnounceTokensReserved,
  smallOutputTokensReserved,
} from '../limits.ts';

type Context = { readonly context: Pick<AgentSettings['context'], 'maxTokens'> };

/** Output tokens of one reply of the agent. In a small window, prompt and output share the room. */
export function outputTokensOf(agent: Context): number {
  return hasSmallWindow(agent) ? smallOutputTokensReserved : outputTokensReserved;
}

/** Approximate tokens of ANNOUNCE in a prompt. */
export function announceTokensOf(agent: Context): number {
  return hasSmallWindow(agent) ? smallAnnounceTokensReserved : announceTokensReserved;
}
