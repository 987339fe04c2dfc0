import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { isFault } from '../../../base/fault.ts';
import { matchesPattern } from '../../../tools/definition/id-pattern.ts';
import type { SkillEntry } from '../../contract/agent-settings.ts';
import {
  skillDescriptionCharsMax,
  skillNameCharsMax,
  skillsPerBundleMax,
  skillTextCharsMax,
} from '../../contract/limits.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Skill, SkillDefinition } from '../../define/skill.ts';
import { readText } from '../validate/bundle-files.ts';
import { splitFrontMatter } from '../validate/front-matter.ts';
import { unknownInSkill, unknownKeys } from '../validate/known-keys.ts';
import { parseYaml, type ReadYaml } from '../validate/parse-yaml.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';
import { openSkillFile } from './skill-files.ts';

export type LoadedSkill = SkillEntry & { readonly requires: readonly string[] };
type SkillLoadOptions = {
  readonly bundle: string;
  readonly dir: string;
  /** Reports a broken skill, which is left out. */
  notice(text: string): void;
};

const Requirements = z.array(
  z.strictObject({
    id: z.string(),
    why: z.string().exactOptional(),
    required: z.boolean().exactOptional(),
  }),
);
const Sources = z.array(
  z.strictObject({
    sid: z.int().min(1).exactOptional(),
    url: z.url(),
    title: z.string(),
    text: z.string().exactOptional(),
  }),
);
const Head = z.looseObject({
  name: z
    .string()
    .max(skillNameCharsMax)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is not kebab-case'),
  description: z.string().min(1).max(skillDescriptionCharsMax),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Keys of the Agent Skills format. */
const headKeys: Readonly<Record<string, true>> = {
  ...{ name: true, description: true, license: true, compatibility: true },
  ...{ 'allowed-tools': true, metadata: true },
};

/** Loads all skills of a bundle, from its folder or from code, sorted by id. */
export async function loadSkills(
  skills: string | readonly Skill[],
  loading: SkillLoadOptions,
): Promise<readonly LoadedSkill[]> {
  const loaded: LoadedSkill[] = [];
  const sources = typeof skills === 'string' ? await foldersOf(join(loading.dir, skills)) : skills;
  for (const source of sources.slice(0, skillsPerBundleMax)) {
    const name = typeof source === 'string' ? basename(source) : source.id;
    try {
      loaded.push(
        typeof source === 'string'
          ? await fromFolder(source, loading)
          : await fromDefinition(source, loading),
      );
    } catch (error) {
      loading.notice(`skill “${name}” was left out: ${toReason(error)}`);
    }
  }
  if (sources.length > skillsPerBundleMax) {
    loading.notice(`only ${skillsPerBundleMax} of ${sources.length} skills were loaded`);
  }
  return loaded.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Matches by name or id, with or without `sk:`. */
export function matchesSkill(pattern: string, { id, name }: SkillEntry): boolean {
  const bare = pattern.replace(/^sk:/, '');
  return matchesPattern(bare, id) || matchesPattern(bare, name);
}

async function foldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
  return folders.map(({ name }) => join(root, name)).toSorted();
}

async function fromFolder(
  folder: string,
  { bundle, dir, notice }: SkillLoadOptions,
): Promise<LoadedSkill> {
  const where = (name: string) => relative(dir, join(folder, name));
  const file = where('SKILL.md');
  const split = splitFrontMatter(await readFile(join(folder, 'SKILL.md'), 'utf8'));
  if (!split) throw new Error(`${file}:1: it must begin with front matter between “---” lines`);
  const { head, body } = split;
  // The first line is the line of dashes.
  const read = parseYaml(head, Head, { file, above: 1 });
  const said = requireValue(read);
  const { name, description, metadata } = said;
  // Other tools may use more keys, so an unknown key is only reported.
  for (const word of unknownKeys(said, headKeys, file)) notice(`skill “${name}”: ${word}`);
  if (name !== basename(folder)) {
    throw new Error(`${read.place(['name'])}: its name “${name}” differs from its folder`);
  }
  const skill: SkillDefinition = {
    definition: 'skill',
    id: name,
    name,
    description,
    text: body,
    tools: await sideFile(join(folder, 'tools.yaml'), Requirements, where),
    sources: await sideFile(join(folder, 'sources.yaml'), Sources, where),
    hidden: String(metadata?.['timeloom-hidden']) === 'true',
  };
  return toLoaded(skill, body, { bundle, folder });
}

async function fromDefinition(
  skill: Skill,
  { bundle, dir }: SkillLoadOptions,
): Promise<LoadedSkill> {
  if (!isDefinition('skill', skill)) throw new Error('it was not made by defineSkill');
  const unknown = unknownInSkill(skill);
  if (unknown.length > 0) throw new Error(unknown.join('; '));
  assertFits(Head, { name: skill.id, description: skill.description }, 'the definition');
  const text = typeof skill.text === 'string' ? skill.text : await readText(dir, skill.text.file);
  return toLoaded(skill, text, { bundle });
}

function toLoaded(
  skill: SkillDefinition,
  body: string,
  { bundle, folder }: { bundle: string; folder?: string },
): LoadedSkill {
  const text = [body.trim(), toolLines(skill)].filter((part) => part !== '').join('\n\n');
  if (text.length > skillTextCharsMax) {
    throw new Error(`its text has ${text.length} characters, more than ${skillTextCharsMax}`);
  }
  return {
    id: `${bundle}.${skill.id}`,
    name: skill.name,
    description: skill.description,
    text,
    hidden: skill.hidden ?? false,
    sources: skill.sources ?? [],
    requires: (skill.tools ?? []).filter(({ required }) => required).map(({ id }) => id),
    file: async (relative) => (folder === undefined ? undefined : openSkillFile(folder, relative)),
  };
}

function toolLines({ tools = [] }: SkillDefinition): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ id, why }) => `- ${id}${why === undefined ? '' : `: ${why}`}`);
  return ['Tools for this skill:', ...lines].join('\n');
}

async function sideFile<T>(
  path: string,
  schema: z.ZodType<T[]>,
  where: (name: string) => string,
): Promise<T[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return requireValue(parseYaml(text, schema, { file: where(basename(path)), empty: [] }));
}

function requireValue<T>({ value, problems }: ReadYaml<T>): T {
  if (value === undefined) throw new Error(problems.join('; '));
  return value;
}

function assertFits<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${where}: ${toSentence(toViolations(parsed.error))}`);
}

function toReason(error: unknown): string {
  if (isFault(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
