import { readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { skillDescriptionCharsMax, skillNameCharsMax } from '../../contract/limits.ts';
import type { SkillDefinition } from '../../define/skill.ts';
import { splitFrontMatter } from '../validate/front-matter.ts';
import { unknownKeys } from '../validate/known-keys.ts';
import { parseYaml, type ReadYaml } from '../validate/parse-yaml.ts';
import { SkillArguments } from './skill-arguments.ts';

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
/** The name and the description of a skill. */
export const Head = z.looseObject({
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

type Reading = {
  readonly dir: string;
  /** Reports an unknown key. */
  notice(text: string): void;
};

export type ReadSkill = {
  readonly skill: SkillDefinition;
  readonly body: string;
  /** Where its arguments are, before a problem with them. */
  readonly place: string;
};

/** Reads a folder with a SKILL.md and its side files. Throws: the skill is broken. */
export async function readSkillFolder(
  folder: string,
  { dir, notice }: Reading,
): Promise<ReadSkill> {
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
    arguments: await sideFile(join(folder, 'arguments.yaml'), SkillArguments, where),
    tools: await sideFile(join(folder, 'tools.yaml'), Requirements, where),
    sources: await sideFile(join(folder, 'sources.yaml'), Sources, where),
    hidden: String(metadata?.['timeloom-hidden']) === 'true',
  };
  return { skill, body, place: `${where('arguments.yaml')}:1: ` };
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
