import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { isFault } from '../../../base/fault.ts';
import { matchesPattern } from '../../../tools/definition/id-pattern.ts';
import type { SkillEntry } from '../../contract/agent-settings.ts';
import { skillsPerBundleMax, skillTextCharsMax } from '../../contract/limits.ts';
import { isDefinition } from '../../define/definition.ts';
import type { Skill, SkillDefinition } from '../../define/skill.ts';
import { readText } from '../validate/bundle-files.ts';
import { unknownInSkill } from '../validate/known-keys.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';
import { argumentLines, assertPlaceholders, SkillArguments } from './skill-arguments.ts';
import { openSkillFile } from './skill-files.ts';
import { Head, readSkillFolder } from './skill-folder.ts';

export type LoadedSkill = SkillEntry & { readonly requires: readonly string[] };
type SkillLoadOptions = {
  readonly bundle: string;
  readonly dir: string;
  /** Reports a broken skill, which is left out. */
  notice(text: string): void;
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

async function fromFolder(source: string, loading: SkillLoadOptions): Promise<LoadedSkill> {
  const { skill, body, place } = await readSkillFolder(source, loading);
  return toLoaded(skill, body, { bundle: loading.bundle, folder: source, place });
}

async function fromDefinition(
  skill: Skill,
  { bundle, dir }: SkillLoadOptions,
): Promise<LoadedSkill> {
  if (!isDefinition('skill', skill)) throw new Error('it was not made by defineSkill');
  const unknown = unknownInSkill(skill);
  if (unknown.length > 0) throw new Error(unknown.join('; '));
  assertFits(Head, { name: skill.id, description: skill.description }, 'the definition');
  assertFits(SkillArguments, skill.arguments ?? [], 'arguments');
  const text = typeof skill.text === 'string' ? skill.text : await readText(dir, skill.text.file);
  return toLoaded(skill, text, { bundle });
}

function toLoaded(
  skill: SkillDefinition,
  body: string,
  { bundle, folder, place = '' }: { bundle: string; folder?: string; place?: string },
): LoadedSkill {
  const { arguments: slots = [] } = skill;
  const prompt = inParagraphs(body.trim(), toolLines(skill));
  assertPlaceholders(prompt, slots, place);
  const text = inParagraphs(prompt, argumentLines(slots));
  if (text.length > skillTextCharsMax) {
    throw new Error(`its text has ${text.length} characters, more than ${skillTextCharsMax}`);
  }
  return {
    id: `${bundle}.${skill.id}`,
    name: skill.name,
    description: skill.description,
    text,
    prompt: { text: prompt, arguments: slots },
    hidden: skill.hidden ?? false,
    sources: skill.sources ?? [],
    requires: (skill.tools ?? []).filter(({ required }) => required).map(({ id }) => id),
    file: async (relative) => (folder === undefined ? undefined : openSkillFile(folder, relative)),
  };
}

function inParagraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function toolLines({ tools = [] }: SkillDefinition): string {
  if (tools.length === 0) return '';
  const lines = tools.map(({ id, why }) => `- ${id}${why === undefined ? '' : `: ${why}`}`);
  return ['Tools for this skill:', ...lines].join('\n');
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
