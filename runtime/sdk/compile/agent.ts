import type { KnowledgeSpace } from '../../tools/knowledge.ts';
import type { AgentDefinition, AgentOptions } from '../agent.ts';
import type { AgentSettings, DeclaredChannel } from '../agent-settings.ts';
import { instructionCharsMax } from '../limits.ts';
import { type Ceilings, type ResolvedOptions, resolveOptions } from './agent-options.ts';
import { type AgentTools, selectTools, usesServer } from './agent-tools.ts';
import { readText } from './files.ts';
import type { ServerOffer } from './mcp.ts';
import { createProblems, type Problems } from './problems.ts';
import { toJsonSchema, toOutputSchema } from './schema.ts';
import { type LoadedSkill, matchesSkill } from './skills.ts';
import type { Platform, Toolbox } from './toolbox.ts';
import { unknownInAgent } from './words.ts';

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

/** An agent in the form the engine runs, with what its servers offer at the moment. */
export type Equip = (offers: readonly ServerOffer[]) => AgentSettings;

/** What is wrong with the agent is added to the problems. */
export async function compileAgent(agent: AgentDefinition, home: AgentHome): Promise<Equip> {
  const { loaded } = home.toolbox;
  const options = resolveOptions([home.defaults, agent, home.override], home.ceilings);
  for (const word of unknownInAgent(agent)) home.problems.add(`agent “${agent.id}”: ${word}`);
  refuseUnserved(agent.id, options, home.problems);
  const { languages } = options.exec;
  const bare: AgentSettings = {
    id: agent.id,
    bundle: loaded.definition.id,
    revision: loaded.revision,
    ...(home.knowledge ? { knowledge: home.knowledge } : {}),
    instruction: await instructionOf(agent, home),
    hooks: home.toolbox.hooks.runtime,
    ...equipment(agent, { ...home, languages, offers: [] }),
    ...options,
    channels: channelsOf(agent, home.problems),
    ...(agent.output ? { output: toOutputSchema(agent.output) } : {}),
  };
  return (all) => {
    const offers = all.filter(({ id }) => usesServer(agent, id));
    if (offers.length === 0) return bare;
    // What is wrong was told at the load; what a server offers later is nobody's mistake.
    const problems = createProblems();
    return { ...bare, ...equipment(agent, { ...home, languages, offers, problems }) };
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

/** A word that would change nothing is refused: an author must not believe in it. */
function refuseUnserved(id: string, options: ResolvedOptions, problems: Problems): void {
  const { protocol, answer, policies } = options;
  const said = [
    ...(protocol === 'auto' || protocol === 'channels' ? [] : [`protocol “${protocol}”`]),
    ...(answer === 'inline' ? [] : [`answer “${answer}”`]),
    ...(policies.hiddenTool === 'refuse' ? [] : ['policies.hiddenTool “allow”']),
  ];
  for (const word of said) problems.add(`agent “${id}”: ${word} is not available in this version`);
}

async function instructionOf(agent: AgentDefinition, home: AgentHome): Promise<string> {
  const { instruction, id } = agent;
  const { loaded } = home.toolbox;
  try {
    const text =
      typeof instruction === 'string' ? instruction : await readText(loaded.dir, instruction.file);
    if (text.length > instructionCharsMax) {
      home.problems.add(`agent “${id}”: its instruction is over ${instructionCharsMax} characters`);
    }
    return text.trim();
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    home.problems.add(`agent “${id}”: ${because}`);
    return '';
  }
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

const reserved = new Set([
  ...['thinking', 'reactdecisionoutv2', 'decision', 'action', 'code', 'canvas'],
  ...['timeline_text', 'internal', 'summary', 'answer', 'subsystem'],
]);

function channelsOf(agent: AgentDefinition, problems: Problems): readonly DeclaredChannel[] {
  const channels = agent.channels ?? [];
  for (const [index, { id }] of channels.entries()) {
    const at = `agent “${agent.id}”: channel “${id}”`;
    if (!/^[a-z][a-z0-9_-]*$/.test(id)) problems.add(`${at} is not a plain lower-case name`);
    if (reserved.has(id.toLowerCase())) problems.add(`${at} is reserved`);
    if (channels.findIndex((other) => other.id === id) !== index) {
      problems.add(`${at} is there twice`);
    }
  }
  return channels.map(({ id, format, description, schema }) => ({
    id,
    format,
    description,
    ...(schema ? { schema: toJsonSchema(schema) } : {}),
  }));
}
