import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import { hasSmallWindow } from '../../contract/small-window.ts';
import type { AgentDefinition, AgentOptions } from '../../define/agent.ts';
import { type Ceilings, resolveOptions } from '../settings/agent-options.ts';
import type { BundleProps } from '../settings/bundle-props.ts';
import { type LoadedSkill, matchesSkill } from '../skills/load-skills.ts';
import type { ServerOffer } from '../tools/mcp-servers.ts';
import { unknownInAgent } from '../validate/known-keys.ts';
import { createProblems, type Problems } from '../validate/problems.ts';
import { usesServer } from './agent-tools.ts';
import { type AgentTools, equip } from './equip.ts';
import { externalProgram } from './external-program.ts';
import { fixedSettings } from './fixed-settings.ts';
import type { Platform, Toolbox } from './toolbox.ts';

export type AgentHome = {
  readonly toolbox: Toolbox;
  readonly platform: Platform;
  readonly skills: readonly LoadedSkill[];
  readonly knowledge?: KnowledgeSpace | undefined;
  /** Installation defaults for options that the agent leaves out. */
  readonly defaults: AgentOptions;
  /** The operator's settings for this agent. */
  readonly override: AgentOptions;
  readonly ceilings: Ceilings;
  readonly problems: Problems;
};

type OperatorProps = BundleProps['settings'];

/** A compiled agent. Its tools follow its MCP servers, and its settings follow the operator's live props. */
export type CompiledAgent = {
  /** The settings that the engine runs, with the tools that its servers currently offer. */
  settings(offers: readonly ServerOffer[], operator: OperatorProps): AgentSettings;
  /** Reasons why the agent cannot serve with these settings, one sentence each. */
  problems(operator: OperatorProps): readonly string[];
};

/** Adds everything that is wrong with the agent to the problems. */
export async function compileAgent(
  agent: AgentDefinition,
  home: AgentHome,
): Promise<CompiledAgent> {
  const { problems } = home;
  const { host, props } = home.toolbox.loaded;
  for (const word of unknownInAgent(agent)) problems.add(`agent “${agent.id}”: ${word}`);
  const fixed = await fixedSettings(agent, home);
  const external = await externalProgram(agent, { ...home, instruction: fixed.instruction });
  const optionsWith = ({ base, live }: OperatorProps) =>
    resolveOptions(
      [home.defaults, agent, ...base.of(agent.id), home.override, ...live.of(agent.id)],
      home.ceilings,
    );
  // Problems are reported at load time. What a server offers later is not the author's mistake.
  const build = (
    operator: OperatorProps,
    offers: readonly ServerOffer[],
    found = createProblems(),
  ) => {
    const options = optionsWith(operator);
    if (external) return { ...fixed, ...noEquipment, ...options, external };
    const { delegation, exec } = options;
    const { languages } = exec;
    if (options.policies.verify === 'once' && options.answer === 'synthesize') {
      found.add(
        `agent “${agent.id}”: policies.verify checks the answer of the agent itself; leave it out with answer: synthesize`,
      );
    }
    const isSmall = hasSmallWindow(options);
    const equipped = toolsAndSkills(agent, {
      ...home,
      ...{ languages, delegation, isSmall, offers },
      hasMemoryTools: options.memory.mode === 'agent' || options.memory.mode === 'both',
      problems: found,
    });
    return { ...fixed, ...equipped, ...options };
  };
  const first = props.settings;
  const bare = build(first, [], problems);
  for (const problem of host.check?.(bare, { live: false }) ?? []) problems.add(problem);
  return {
    settings: (all, operator) => {
      const offers = all.filter(({ id }) => usesServer(agent, id));
      return offers.length === 0 && operator === first ? bare : build(operator, offers);
    },
    problems: (operator) => {
      const settings = build(operator, []);
      return [...(host.check?.(settings, { live: true }) ?? [])];
    },
  };
}

/** An agent program has tools of its own. */
const noEquipment = { tools: [], groups: [], skills: [], notices: [] };

type ToolSelection = AgentHome & {
  readonly languages: AgentSettings['exec']['languages'];
  readonly isSmall: boolean;
  readonly hasMemoryTools: boolean;
  readonly delegation: AgentSettings['delegation'];
  readonly offers: readonly ServerOffer[];
};

function toolsAndSkills(agent: AgentDefinition, { offers, ...home }: ToolSelection) {
  const served = offers.flatMap((offer) => offer.tools);
  const equipment = equip(agent, { ...home, served });
  return {
    ...equipment,
    skills: skillsOf(agent, equipment, home),
    notices: offers.flatMap(({ notice }) => notice ?? []),
  };
}

/** Hides a skill if the agent does not have one of its required tools. A tool that is not visible now can be brought into view. */
function skillsOf(
  agent: AgentDefinition,
  equipment: AgentTools,
  { skills, problems }: AgentHome,
): readonly LoadedSkill[] {
  const patterns = agent.skills ?? ['*'];
  for (const pattern of patterns) {
    if (pattern !== '*' && !skills.some((skill) => matchesSkill(pattern, skill))) {
      problems.add(`agent “${agent.id}”: no skill matches “${pattern}”`);
    }
  }
  const seen = new Set(equipment.tools.map(({ spec }) => spec.id));
  return skills.filter(
    (skill) =>
      patterns.some((pattern) => matchesSkill(pattern, skill)) &&
      skill.requires.every((id) => seen.has(id)),
  );
}
