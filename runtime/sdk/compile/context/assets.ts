import { createReadStream, existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { z } from 'zod';
import { Fault } from '../../../base/fault.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { Asset } from '../../define/context.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';
import { toStream } from './byte-stream.ts';

/** A file next to the bundle's source. Refusals `path_refused` (outside its folder), `not_found`. */
export function openAsset(folder: string, name: string): Asset {
  const dir = resolve(folder);
  const path = join(dir, name);
  const isThere = existsSync(path);
  // Links are resolved first, because the real location counts.
  if (!isWithin(path, dir) || (isThere && !isWithin(realpathSync(path), realpathSync(dir)))) {
    throw new Refusal('path_refused', `${name} is outside the bundle's folder.`);
  }
  if (!isThere) throw new Refusal('not_found', `File ${name} not found in the bundle.`);
  const text = () => readFile(path, 'utf8');
  return {
    path,
    text,
    bytes: async () => new Uint8Array(await readFile(path)),
    stream: () => toStream(async () => createReadStream(path)),
    json: async <T>(schema: z.ZodType<T>) => {
      const parsed = await schema.safeParseAsync(parse(await text(), name));
      if (parsed.success) return parsed.data;
      const because = `${name}: ${toSentence(toViolations(parsed.error))}`;
      throw new Fault('STORED_INVALID', { because }, { cause: parsed.error });
    },
  };
}

function isWithin(path: string, dir: string): boolean {
  return path.startsWith(dir.endsWith(sep) ? dir : dir + sep);
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('STORED_INVALID', { because: `${name} is not valid JSON` }, { cause });
  }
}
