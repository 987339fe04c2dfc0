import type { AgentOptions } from '../../define/agent.ts';
import { isDefinition } from '../../define/definition.ts';
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

/** Compiles all agents of a bundle, in order. */
export async function compileAgents(
  loaded: LoadedBundle,
  { platform, toolbox, supervisor, problems, notice, ...installation }: Compiling,
): Promise<readonly CompiledAgent[]> {
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
  for (const agent of agents) {
    if (isDefinition('agent', agent)) {
      compiled.push(await compileAgent(agent, { ...home, override: overrides[agent.id] ?? {} }));
    } else problems.add('an agent was not made by defineAgent');
  }
  return compiled;
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
