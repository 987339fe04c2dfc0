import { invariant } from '../../../base/assert.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { AgentOptions } from '../../define/agent.ts';
import { isDefinition } from '../../define/definition.ts';
import { endpointAgents } from '../endpoints/endpoint-agents.ts';
import type { LoadedBundle } from '../host/bundle-host.ts';
import { openKnowledge } from '../knowledge/open-knowledge.ts';
import type { Supervisor } from '../lifecycle/supervisor.ts';
import type { Ceilings } from '../settings/agent-options.ts';
import { type LoadedSkill, loadSkills } from '../skills/load-skills.ts';
import { checkServers } from '../tools/mcp-servers.ts';
import { checkIds, type Problems } from '../validate/problems.ts';
import { type CompiledAgent, compileAgent } from './compile-agent.ts';
import type { Platform, Toolbox } from './toolbox.ts';

type Compiling = {
  readonly platform: Platform;
  readonly toolbox: Toolbox;
  readonly supervisor: Supervisor;
  readonly defaults?: AgentOptions;
  readonly agents?: Readonly<Record<string, AgentOptions>>;
  readonly ceilings?: Ceilings;
  readonly problems: Problems;
  notice(text: string): void;
};

type Agents = readonly [AgentSettings, ...AgentSettings[]];

export type CompiledAgents = {
  /** The agents of the bundle, then those of its endpoints. */
  readonly equips: readonly CompiledAgent[];
  /** The settings of the bundle's own agents, out of those of all of them. */
  ownOf(all: readonly AgentSettings[]): Agents;
};

/** Compiles all agents of a bundle, in order. */
export async function compileAgents(
  loaded: LoadedBundle,
  { platform, toolbox, supervisor, problems, notice, ...installation }: Compiling,
): Promise<CompiledAgents> {
  const agents = loaded.definition.agents ?? [];
  const { agents: overrides = {}, defaults = {}, ceilings = {} } = installation;
  const ids = agents.map(({ id }) => id);
  checkIds('agent', ids, problems);
  for (const id of Object.keys(overrides)) {
    if (!ids.includes(id)) problems.add(`unknown agent “${id}” in its settings`);
  }
  checkServers(loaded, problems);
  const knowledge = await openKnowledge(loaded, { supervisor, problems, notice });
  const skills = await skillsOf(loaded, { problems, notice });
  const home = { toolbox, platform, skills, knowledge, defaults, ceilings, problems };
  const compiled: CompiledAgent[] = [];
  for (const agent of [...agents, ...endpointAgents(loaded.definition)]) {
    if (isDefinition('agent', agent)) {
      compiled.push(await compileAgent(agent, { ...home, override: overrides[agent.id] ?? {} }));
    } else problems.add('an agent was not made by defineAgent');
  }
  const own = compiled.length - endpointAgents(loaded.definition).length;
  if (own === 0) problems.add('it has no agents');
  return { equips: compiled, ownOf: firstOf(own) };
}

/** The first agents of a list. The same list gives the same result. */
function firstOf(count: number): CompiledAgents['ownOf'] {
  let before: readonly AgentSettings[] | undefined;
  let kept: Agents | undefined;
  return (all) => {
    if (all === before && kept) return kept;
    const [first, ...rest] = all.slice(0, count);
    invariant(first, 'a bundle without problems has an agent');
    before = all;
    kept = [first, ...rest];
    return kept;
  };
}

async function skillsOf(
  { definition, dir }: LoadedBundle,
  { problems, notice }: Pick<Compiling, 'problems' | 'notice'>,
): Promise<readonly LoadedSkill[]> {
  try {
    return await loadSkills(definition.skills ?? [], { bundle: definition.id, dir, notice });
  } catch (error) {
    problems.add(`cannot read its skills: ${error instanceof Error ? error.message : error}`);
    return [];
  }
}
