import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExternalProgram, WorkspaceSeed } from '../../contract/agent-settings.ts';
import { workspaceSeedBytesMax, workspaceSeedsMax } from '../../contract/limits.ts';
import type { AgentDefinition } from '../../define/agent.ts';
import { type LoadedSkill, matchesSkill } from '../skills/load-skills.ts';
import { filesBelow } from '../validate/bundle-files.ts';
import type { Problems } from '../validate/problems.ts';
import { readMcpFile } from './mcp-file.ts';
import type { Toolbox } from './toolbox.ts';

type Home = {
  readonly toolbox: Toolbox;
  readonly skills: readonly LoadedSkill[];
  readonly instruction: string;
  readonly problems: Problems;
};

/** Options of the loop of this runtime, which an agent program does not have. */
const loopOptions = [
  ...['tools', 'groups', 'channels', 'output', 'models', 'modelChoices'],
  ...['protocol', 'context', 'exec'],
  ...['answer', 'promptForm', 'hint', 'policies', 'memory', 'delegation'],
] as const satisfies readonly (keyof AgentDefinition)[];

/** Where agent programs look for what a project tells them, and for the skills of a project. */
const instructionFiles = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'];
const skillFolders = ['.claude/skills', '.agents/skills'];

/** Undefined: the loop of this runtime does the work. */
export async function externalProgram(
  agent: AgentDefinition,
  home: Home,
): Promise<ExternalProgram | undefined> {
  const { runtime = 'loop', external } = agent;
  const add = (problem: string) => home.problems.add(`agent “${agent.id}”: ${problem}`);
  if (runtime === 'loop') {
    if (external) add("external needs runtime: 'external'");
    return undefined;
  }
  for (const option of loopOptions) {
    if (agent[option] !== undefined)
      add(`runtime: 'external' has no ${option}; configure the program by files of its workspace`);
  }
  if (!external?.program) {
    add("runtime: 'external' needs external: { program }");
    return undefined;
  }
  const files = await seedsOf(agent, home);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.length > workspaceSeedsMax || bytes > workspaceSeedBytesMax) {
    const most = `${workspaceSeedsMax} files and ${workspaceSeedBytesMax} bytes`;
    add(`its workspace has more than ${most}`);
  }
  const mcpServers = readMcpFile(files, add);
  return { program: external.program, files, egress: external.egress ?? [], mcpServers };
}

/** The files of the workspace folder, the instruction and the skills; a file of the folder wins. */
async function seedsOf(agent: AgentDefinition, home: Home): Promise<readonly WorkspaceSeed[]> {
  const { dir } = home.toolbox.loaded;
  const { workspace } = agent.external ?? {};
  const text = Buffer.from(home.instruction);
  const names = text.length === 0 ? [] : instructionFiles;
  const all: WorkspaceSeed[] = [
    ...names.map((path) => ({ path, bytes: text })),
    ...(await skillSeeds(agent, home)),
  ];
  try {
    if (workspace !== undefined) all.push(...(await filesBelow(dir, workspace, workspaceSeedsMax)));
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error);
    home.problems.add(`agent “${agent.id}”: ${because}`);
  }
  const last = new Map(all.map(({ path, bytes }) => [path, bytes]));
  return [...last].map(([path, bytes]) => ({ path, bytes }));
}

async function skillSeeds(agent: AgentDefinition, home: Home): Promise<readonly WorkspaceSeed[]> {
  const seeds = skillsOf(agent, home).map(async (skill) => {
    const files = await skillFiles(skill, home);
    return files.flatMap(({ path, bytes }) =>
      skillFolders.map((folder) => ({ path: `${folder}/${skill.name}/${path}`, bytes })),
    );
  });
  return (await Promise.all(seeds)).flat();
}

function skillsOf(agent: AgentDefinition, { skills, problems }: Home): readonly LoadedSkill[] {
  const patterns = agent.skills ?? ['*'];
  for (const pattern of patterns) {
    if (pattern !== '*' && !skills.some((skill) => matchesSkill(pattern, skill)))
      problems.add(`agent “${agent.id}”: no skill matches “${pattern}”`);
  }
  return skills.filter((skill) => patterns.some((pattern) => matchesSkill(pattern, skill)));
}

/** A skill of a folder with all its files; a skill that was defined in code as SKILL.md. */
async function skillFiles(
  { name, description, text }: LoadedSkill,
  { toolbox: { loaded } }: Home,
): Promise<readonly WorkspaceSeed[]> {
  const { skills } = loaded.definition;
  const folder = typeof skills === 'string' ? `${skills}/${name}` : undefined;
  const isFolder = folder !== undefined && (await isDirectory(join(loaded.dir, folder)));
  if (isFolder) return filesBelow(loaded.dir, folder, workspaceSeedsMax);
  const head = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n`;
  return [{ path: 'SKILL.md', bytes: Buffer.from(head + text) }];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
