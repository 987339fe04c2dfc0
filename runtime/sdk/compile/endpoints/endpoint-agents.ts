import type { AgentDefinition } from '../../define/agent.ts';
import type { BundleDefinition, McpEndpoint } from '../../define/bundle.ts';
import { isDefinition } from '../../define/definition.ts';

/** The name of the agent that makes the calls of an endpoint's clients. No other agent can have it: a dot is not kebab-case. */
export function endpointAgentId(endpoint: string): string {
  return `mcp.${endpoint}`;
}

/** One agent for each endpoint, with its tools. It makes the calls that clients send, and answers messages in their sessions. */
export function endpointAgents({ mcp }: BundleDefinition): readonly AgentDefinition[] {
  return (mcp?.expose ?? []).map(toAgent);
}

/** The agents of a bundle, and those of its endpoints. */
export function allAgents(definition: BundleDefinition): readonly AgentDefinition[] {
  const own = (definition.agents ?? []).filter((agent) => isDefinition('agent', agent));
  return [...own, ...endpointAgents(definition)];
}

function toAgent({ id, tools }: McpEndpoint): AgentDefinition {
  return {
    definition: 'agent',
    id: endpointAgentId(id),
    instruction: 'A program makes calls in this conversation. Answer questions about them.',
    tools,
    policies: { toolFailure: 'continue' },
  };
}
