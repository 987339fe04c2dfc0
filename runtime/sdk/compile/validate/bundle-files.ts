import { readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, sep } from 'node:path';

/** A file below `root`, with links resolved. Undefined if it does not exist or is outside. */
export async function fileWithin(root: string, relative: string): Promise<string | undefined> {
  if (isAbsolute(relative) || normalize(relative).startsWith('..')) return undefined;
  const path = join(root, relative);
  const found = await stat(path).catch(absent);
  if (!found?.isFile()) return undefined;
  const [real, home] = await Promise.all([realpath(path), realpath(root)]);
  return real.startsWith(home + sep) ? real : undefined;
}

/** Text of a file in the bundle. The error for a missing file names it. */
export async function readText(root: string, relative: string): Promise<string> {
  const path = await fileWithin(root, relative);
  if (path === undefined) throw new Error(`file ${relative} not found in the bundle`);
  return readFile(path, 'utf8');
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) {
    return undefined;
  }
  throw error;
}
