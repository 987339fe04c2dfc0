import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';

/** A file below `root`, links resolved. Undefined: there is none, or it lies elsewhere. */
export async function fileWithin(root: string, relative: string): Promise<string | undefined> {
  if (isAbsolute(relative) || normalize(relative).startsWith('..')) return undefined;
  const path = join(root, relative);
  const found = await stat(path).catch(absent);
  if (!found?.isFile()) return undefined;
  const [real, home] = await Promise.all([realpath(path), realpath(root)]);
  return real.startsWith(home + sep) ? real : undefined;
}

/** Text of a file of the bundle; its absence is told by name. */
export async function readText(root: string, relative: string): Promise<string> {
  const path = await fileWithin(root, relative);
  if (path === undefined) throw new Error(`there is no file ${relative} in the bundle`);
  return readFile(path, 'utf8');
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) {
    return undefined;
  }
  throw error;
}
