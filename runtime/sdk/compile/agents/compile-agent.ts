import type { KnowledgeSpace } from '../../../tools/ports/knowledge.ts';
import type { AgentSettings } from '../../contract/agent-settings.ts';
import type { AgentDefinition, AgentOptions } from '../../define/agent.ts';
import { type Ceilings, resolveOptions } from '../settings/agent-options.ts';
import type { BundleProps } from '../settings/bundle-props.ts';
import { type LoadedSkill, matchesSkill } from '../skills/load-skills.ts';
import type { ServerOffer } from '../tools/mcp-servers.ts';
import { unknownInAgent } from '../validate/known-keys.ts';
import { createProblems, type Problems } from '../validate/problems.ts';
import { type AgentTools, selectTools, usesServer } from './agent-tools.ts';
import { fixedOf } from './fixed-settings.ts';
import type { Platform, Toolbox } from './toolbox.ts';
import { unservedInAgent } from './unsupported-options.ts';

export type AgentHome = {
  readonly toolbox: Toolbox;
  readonly platform: Platform;
  readonly skills: readonly LoadedSkill[];
  readonly knowledge?: KnowledgeSpace | undefined;
  /** What the installation says where the agent is silent. */
  readonly defaults: AgentOptions;
  /** What the operator says about this agent. */
  readonly override: AgentOptions;
  readonly ceilings: Ceilings;
  readonly problems: Problems;
};

type Operator = BundleProps['settings'];

/** An agent whose servers come and go, and whose operator sets it while it serves. */
export type Equip = {
  /** In the form the engine runs, with what its servers offer at the moment. */
  now(offers: readonly ServerOffer[], operator: Operator): AgentSettings;
  /** What keeps it from serving with these settings, a sentence each. */
  wrong(operator: Operator): readonly string[];
};

/** What is wrong with the agent is added to the problems. */
export async function compileAgent(agent: AgentDefinition, home: AgentHome): Promise<Equip> {
  const { problems } = home;
  const { host, props } = home.toolbox.loaded;
  for (const word of unknownInAgent(agent)) problems.add(`agent “${agent.id}”: ${word}`);
  const fixed = await fixedOf(agent, home);
  const optionsWith = ({ base, live }: Operator) =>
    resolveOptions(
      [home.defaults, agent, ...base.of(agent.id), home.override, ...live.of(agent.id)],
      home.ceilings,
    );
  // What is wrong is said at the load; what a server offers later is nobody's mistake.
  const build = (operator: Operator, offers: readonly ServerOffer[], told = createProblems()) => {
    const options = optionsWith(operator);
    const { languages } = options.exec;
    const equipped = equipment(agent, { ...home, languages, offers, problems: told });
    return { ...fixed, ...equipped, ...options };
  };
  const first = props.settings;
  const bare = build(first, [], problems);
  for (const problem of unservedInAgent(agent, bare)) problems.add(problem);
  for (const problem of host.check?.(bare, { live: false }) ?? []) problems.add(problem);
  return {
    now: (all, operator) => {
      const offers = all.filter(({ id }) => usesServer(agent, id));
      return offers.length === 0 && operator === first ? bare : build(operator, offers);
    },
    wrong: (operator) => {
      const settings = build(operator, []);
      return [
        ...unservedInAgent(agent, settings),
        ...(host.check?.(settings, { live: true }) ?? []),
      ];
    },
  };
}

type Equipping = AgentHome & {
  readonly languages: AgentSettings['exec']['languages'];
  readonly offers: readonly ServerOffer[];
};

function equipment(agent: AgentDefinition, { offers, ...home }: Equipping) {
  const served = offers.flatMap((offer) => offer.tools);
  const tools = selectTools(agent, { ...home, served });
  return {
    tools: tools.visible,
    inactiveTools: tools.inactive,
    skills: skillsOf(agent, tools, home),
    notices: offers.flatMap(({ notice }) => notice ?? []),
  };
}

/** A skill whose required tool the agent does not see is not shown to it. */
function skillsOf(
  agent: AgentDefinition,
  tools: AgentTools,
  { skills, problems }: AgentHome,
): readonly LoadedSkill[] {
  const patterns = agent.skills ?? ['*'];
  for (const pattern of patterns) {
    if (pattern !== '*' && !skills.some((skill) => matchesSkill(pattern, skill))) {
      problems.add(`agent “${agent.id}”: no skill fits “${pattern}”`);
    }
  }
  const seen = new Set(tools.visible.map(({ spec }) => spec.id));
  return skills.filter(
    (skill) =>
      patterns.some((pattern) => matchesSkill(pattern, skill)) &&
      skill.requires.every((id) => seen.has(id)),
  );
}
