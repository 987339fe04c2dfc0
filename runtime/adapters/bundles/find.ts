import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { bundlesPerFolderMax } from './limits.ts';

const entries = ['bundle.ts', 'bundle.js', 'bundle.mjs'];

/** The bundles at each path: the folder itself, or every bundle one level below it. In order, without duplicates. */
export async function findBundles(paths: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const path of paths) {
    for (const dir of await bundlesAt(resolve(path))) found.add(dir);
  }
  return [...found];
}

/** Whether the folder itself is a bundle. */
export function isBundle(dir: string): boolean {
  return entries.some((entry) => existsSync(join(dir, entry)));
}

/** The entry file of a bundle. */
export async function entryOf(dir: string): Promise<string | undefined> {
  for (const entry of entries) {
    const path = join(dir, entry);
    if (await isFile(path)) return path;
  }
  return undefined;
}

async function bundlesAt(path: string): Promise<readonly string[]> {
  if (await entryOf(path)) return [path];
  const below = await foldersOf(path);
  const bundles: string[] = [];
  for (const folder of below.slice(0, bundlesPerFolderMax)) {
    if (await entryOf(folder)) bundles.push(folder);
  }
  if (bundles.length > 0) return bundles;
  const because = `${path} is not a bundle and contains no bundles: a bundle is a folder with ${entries.join(' or ')}`;
  throw new Fault('BUNDLE_INVALID', { path, because });
}

async function foldersOf(path: string): Promise<readonly string[]> {
  try {
    const items = await readdir(path, { withFileTypes: true });
    const folders = items.filter(
      (item) => item.isDirectory() && !basename(item.name).startsWith('.'),
    );
    return folders.map(({ name }) => join(path, name)).toSorted();
  } catch (cause) {
    throw new Fault('BUNDLE_INVALID', { path, because: `${path} cannot be read` }, { cause });
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^ENO(ENT|TDIR)$/.test(String(error.code))) {
      return false;
    }
    throw error;
  }
}
