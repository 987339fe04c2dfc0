import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { builtRevisionsKept } from './limits.ts';

/**
 * Removes the built files of earlier revisions of the same bundle. The newest ones stay: turns that started with them
 * continue, and a bundle process may be restarted.
 */
export async function removeOld(built: string): Promise<void> {
  const dir = dirname(built);
  const place = placeOf(built);
  const names = (await readdir(dir)).filter(
    (name) => name.endsWith('.mjs') && placeOf(name) === place,
  );
  const files = await Promise.all(names.map((name) => aged(join(dir, name))));
  const old = files.toSorted((a, b) => b.atMs - a.atMs).slice(builtRevisionsKept);
  for (const { path } of old) if (path !== built) await rm(path, { force: true });
}

/** The folder it was built from, in `<revision>-<place>.mjs`. */
function placeOf(path: string): string {
  return basename(path).split('-')[1] ?? '';
}

/** If another process removes the file at the same time, it counts as the oldest. */
async function aged(path: string): Promise<{ readonly path: string; readonly atMs: number }> {
  try {
    return { path, atMs: (await stat(path)).mtimeMs };
  } catch {
    return { path, atMs: 0 };
  }
}
