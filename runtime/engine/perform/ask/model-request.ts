import { outputTokensOf } from '../../agent/reserved-tokens.ts';
import { shownTools } from '../../agent/visible-agent.ts';
import { temperature } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';
import type { Prompt } from './prompt.ts';

export function toModelRequest({ agent, conversation }: WorkerSession, prompt: Prompt) {
  return {
    role: 'decision' as const,
    system: prompt.system,
    ...prompt.content,
    ...(prompt.offer ? { offer: prompt.offer } : {}),
    ...(prompt.format ? { format: prompt.format } : {}),
    ...(prompt.protocol === 'channels' ? {} : { protocol: prompt.protocol }),
    tools: shownTools(agent).map((tool) => tool.spec.id),
    conversation: conversation.lease.row.id,
    maxOutputTokens: outputTokensOf(agent),
    temperature,
  };
}
