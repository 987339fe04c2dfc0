import { readFile, stat } from 'node:fs/promises';
import { normalize } from 'node:path';
import { Refusal } from '../../../base/refusal.ts';
import { mimeOf } from '../../../tools/files/mime.ts';
import type { SkillFile } from '../../contract/agent-settings.ts';
import { skillFileBytesMax } from '../../contract/limits.ts';
import { fileWithin } from '../validate/bundle-files.ts';

const readable = /^(references|scripts|assets)\//;

/** Opens a side file of a skill. Files outside its three folders count as missing. */
export async function openSkillFile(
  folder: string,
  relative: string,
): Promise<SkillFile | undefined> {
  if (!readable.test(normalize(relative))) return undefined;
  const path = await fileWithin(folder, relative);
  if (path === undefined) return undefined;
  const { size } = await stat(path);
  if (size > skillFileBytesMax) {
    throw new Refusal('too_large', `${relative} has more than ${skillFileBytesMax} bytes.`);
  }
  return { mime: mimeOf(relative), bytes: await readFile(path) };
}
