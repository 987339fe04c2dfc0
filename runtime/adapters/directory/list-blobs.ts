import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../base/folders.ts';
import type { BlobListing, BlobPage, BlobStoreUser } from '../../timeline/ports/blobs.ts';

/** A page of the files `<two of the hash>/<the rest>` in the folder of a tenant. */
export async function listBlobs(
  folder: string,
  { putBefore, limit, after = '' }: BlobListing,
  signal: AbortSignal,
): Promise<BlobPage> {
  const hashes: string[] = [];
  let seen = 0;
  for await (const { hash, path } of filesAfter(after, folder)) {
    signal.throwIfAborted();
    // A file that is missing has been removed since.
    const found = await stat(path).catch(unless('ENOENT'));
    if (found && found.mtimeMs < putBefore) hashes.push(hash);
    seen += 1;
    if (seen === limit) return { hashes, next: hash };
  }
  return { hashes };
}

async function* filesAfter(
  after: string,
  folder: string,
): AsyncGenerator<{ readonly hash: string; readonly path: string }> {
  for (const first of await namesIn(folder, /^[0-9a-f]{2}$/)) {
    const prefix = `sha256:${first}`;
    if (prefix < after.slice(0, prefix.length)) continue;
    for (const rest of await namesIn(join(folder, first), /^[0-9a-f]{62}$/)) {
      const hash = `${prefix}${rest}`;
      if (hash > after) yield { hash, path: join(folder, first, rest) };
    }
  }
}

/** One empty file for each installation, whose time is that of the first record. */
export async function registerUser(
  folder: string,
  installation: string,
): Promise<readonly BlobStoreUser[]> {
  await makeFolder(folder);
  const path = join(folder, encodeURIComponent(installation));
  await writeFile(path, '', { flag: 'wx' }).catch(unless('EEXIST'));
  const names = await namesIn(folder, /./);
  return await Promise.all(
    names.map(async (name) => {
      const { mtimeMs } = await stat(join(folder, name));
      return { installation: decodeURIComponent(name), sinceMs: mtimeMs };
    }),
  );
}

/** Sorted. Empty if the folder does not exist. */
async function namesIn(folder: string, shape: RegExp): Promise<readonly string[]> {
  const names = (await readdir(folder).catch(unless('ENOENT'))) ?? [];
  return names.filter((name) => shape.test(name)).toSorted();
}

function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };
}
