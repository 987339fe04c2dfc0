import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { BundleEndpoint } from '../../contract/runtime-bundle.ts';
import type { McpEndpoint } from '../../define/bundle.ts';
import type { AnyTool } from '../../define/context.ts';
import { isDefinition } from '../../define/definition.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import type { Supervisor } from '../lifecycle/supervisor.ts';
import { checkIds, type Problems } from '../validate/problems.ts';
import { endpointAgentId } from './endpoint-agents.ts';
import { compileVerifiers } from './verifiers.ts';

type Compiling = { readonly supervisor: Supervisor; readonly problems: Problems };

/** The endpoints for MCP clients, as a function of the agents' current settings. */
export function compileEndpoints(
  loaded: LoadedBundle,
  { supervisor, problems }: Compiling,
): (agents: readonly AgentSettings[]) => readonly BundleEndpoint[] {
  const { definition } = loaded;
  const expose = definition.mcp?.expose ?? [];
  const ids = expose.map(({ id }) => id);
  checkIds('MCP endpoint', ids, problems);
  const own = (definition.agents ?? []).map(({ id }) => id);
  for (const endpoint of expose) {
    for (const problem of problemsOf(endpoint, own)) problems.add(problem);
  }
  const verifiers = compileVerifiers(loaded).map((one) => supervisor.operation(one));
  return (agents) =>
    expose.flatMap((endpoint) => toEndpoint(endpoint, { agents, verifiers }) ?? []);
}

/** Repeats the compiler's checks for authors who write JavaScript. */
function problemsOf(endpoint: McpEndpoint, own: readonly string[]): readonly string[] {
  const { id, agents = [], tools = [] } = endpoint;
  const who = `MCP endpoint “${id}”`;
  const strange = agents.filter((agent) => !own.includes(agent.id));
  return [
    ...(agents.length + tools.length === 0 ? [`${who} has neither tools nor agents`] : []),
    ...strange.map((agent) => `${who}: agent “${agent.id}” is not in the bundle's agents`),
    ...(isVerified(endpoint)
      ? []
      : [`${who} is public and must say how it verifies its caller: a function, or 'none'`]),
  ];
}

function isVerified(endpoint: McpEndpoint): boolean {
  if (endpoint.access !== 'public') return true;
  const { verify }: { verify: unknown } = endpoint;
  return verify === 'none' || typeof verify === 'function';
}

type Parts = {
  readonly agents: readonly AgentSettings[];
  readonly verifiers: readonly NonNullable<BundleEndpoint['verifier']>[];
};

function toEndpoint(
  { id, access = 'user', tools, agents: offered = [] }: McpEndpoint,
  { agents, verifiers }: Parts,
): BundleEndpoint | undefined {
  const caller = agents.find((agent) => agent.id === endpointAgentId(id));
  if (!caller) return undefined;
  const verifier = verifiers.find((one) => one.id === caller.id);
  const listed = new Set(tools.flatMap(idOf));
  return {
    id,
    access,
    ...(verifier ? { verifier } : {}),
    caller,
    tools: caller.tools.map(({ spec }) => spec).filter((spec) => listed.has(spec.id)),
    agents: offered.flatMap((agent) => {
      const settings = agents.find((each) => each.id === agent.id);
      return settings ? [{ settings, description: descriptionOf(settings) }] : [];
    }),
  };
}

function idOf(tool: AnyTool): readonly string[] {
  return isDefinition('tool', tool) ? [tool.id] : [];
}

/** An instruction is written for the agent, not for its callers, so it is not shown. */
function descriptionOf({ id, bundle }: AgentSettings): string {
  return `Asks the agent “${id}” of “${bundle}”. It works on the prompt with its own tools and returns its answer. Later calls of the session continue the conversation.`;
}
