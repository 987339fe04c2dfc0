import type { AgentSettings } from '../../../sdk/contract/agent-settings.ts';
import type { ToolError } from '../../../tools/ports/tool.ts';
import type { WorkerSession } from '../../session/session.ts';

export type AgentRef = { readonly bundle: string; readonly agent: string };

/** `agent` of the calling bundle, or `bundle/agent`. */
export function agentRef(name: string, { bundle }: Pick<AgentSettings, 'bundle'>): AgentRef {
  const [first = '', second] = name.split('/');
  return second === undefined ? { bundle, agent: first } : { bundle: first, agent: second };
}

/** Why this agent does not work for the calling one. Undefined: it does. */
export function agentRefusal(
  { engine, agent: own }: WorkerSession,
  name: string,
): ToolError | undefined {
  const ref = agentRef(name, own);
  const found = engine.agent(ref);
  if (!found || found.id !== ref.agent) {
    const message = `There is no agent “${name}” in this installation.`;
    return { code: 'unknown_agent', message, retryable: false };
  }
  const { from } = found.delegation;
  if (ref.bundle === own.bundle || from.includes('*') || from.includes(own.bundle))
    return undefined;
  const message = `The agent “${name}” does not work for agents of the bundle ${own.bundle}. Its bundle would have to allow that with delegation.from.`;
  return { code: 'agent_not_allowed', message, retryable: false };
}
