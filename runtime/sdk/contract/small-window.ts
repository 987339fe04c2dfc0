import type { AgentSettings } from './agent-settings.ts';
import { smallWindowTokensMax } from './limits.ts';

/** Whether the agent works in a small window: with a short system text, fewer tools and shorter replies. */
export function hasSmallWindow({
  context,
}: {
  readonly context: Pick<AgentSettings['context'], 'maxTokens'>;
}): boolean {
  return context.maxTokens <= smallWindowTokensMax;
}

/** Control tools of an agent with a small window. It gets others if it lists them. */
export const smallWindowTools: readonly string[] = ['react.read', 'react.write', 'react.memsearch'];
