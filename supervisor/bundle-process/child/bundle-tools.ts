import type { Toolbox } from '../../../runtime/sdk/compile/agents/toolbox.ts';
import { allAgents } from '../../../runtime/sdk/compile/endpoints/endpoint-agents.ts';
import type { BundleDefinition } from '../../../runtime/sdk/define/bundle.ts';
import type { Tool } from '../../../runtime/tools/ports/tool.ts';

/** The tools of a bundle by agent and id, with the names that the worker uses. */
export type BundleTools = ReadonlyMap<string, ReadonlyMap<string, Tool>>;

export function compileBundleTools(definition: BundleDefinition, toolbox: Toolbox): BundleTools {
  const own = new Map<string, ReadonlyMap<string, Tool>>();
  for (const agent of allAgents(definition)) {
    const groups = Object.values(agent.groups ?? {}).flatMap(({ tools }) => tools);
    const compiled = [...(agent.tools ?? []), ...groups].flatMap((entry) =>
      typeof entry === 'string' ? [] : (toolbox.compile(entry, agent.id) ?? []),
    );
    own.set(agent.id, new Map(compiled.map((tool) => [tool.spec.id, tool])));
  }
  return own;
}
