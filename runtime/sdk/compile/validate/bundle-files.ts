import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative as relativeTo, sep } from 'node:path';

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

/** All files in a folder of the bundle, by their paths in it. Links that lead out of the bundle are left out. */
export async function filesBelow(
  root: string,
  folder: string,
  filesMax: number,
): Promise<readonly { readonly path: string; readonly bytes: Uint8Array }[]> {
  const top = join(root, folder);
  const isOutside = isAbsolute(folder) || normalize(folder).startsWith('..');
  const found = isOutside ? undefined : await stat(top).catch(absent);
  if (!found?.isDirectory()) throw new Error(`folder ${folder} not found in the bundle`);
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory());
  if (names.length > filesMax) throw new Error(`folder ${folder} has more than ${filesMax} files`);
  const files = names.map(async ({ parentPath, name }) => {
    const path = relativeTo(top, join(parentPath, name)).split(sep).join('/');
    const real = await fileWithin(root, join(folder, path));
    return real === undefined ? [] : [{ path, bytes: await readFile(real) }];
  });
  return (await Promise.all(files)).flat();
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) {
    return undefined;
  }
  throw error;
}
