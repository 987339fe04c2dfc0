import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isFolder } from '../../../../supervisor/contract.ts';
import { fileBeneath, filesIn } from '../../../../supervisor/files-out.ts';
import type { BlobStore } from '../../../timeline/blobs.ts';
import type { SealedFile } from '../letters.ts';
import { folders, uids } from '../settings.ts';
import { snapshotOf } from '../snapshots.ts';

type Options = {
  readonly snapshots: BlobStore;
  readonly bytesMax: number;
  readonly signal: AbortSignal;
};

/** What a program has left at these paths, hashed while it goes into the bucket. It may still run: what was checked is what is read. */
export async function seal(
  paths: readonly string[],
  { snapshots, bytesMax, signal }: Options,
): Promise<readonly SealedFile[]> {
  await using root = await open(folders.out, constants.O_RDONLY | constants.O_DIRECTORY);
  const keep = (bytes: AsyncIterable<Uint8Array>) =>
    snapshots.put(snapshotOf.outputs, bytes, { signal, bytesMax });
  const sealed: SealedFile[] = [];
  for (const path of paths.filter((each) => !isFolder(each))) {
    const found = await beneath(() =>
      fileBeneath(root, path, { uid: uids.executor, keep, bytesMax }),
    );
    if (found.kind === 'file') sealed.push({ kind: 'file', path, ...found.blob });
    if (found.kind === 'refused') sealed.push({ kind: 'refused', path, code: found.code });
  }
  const asked = new Set(paths);
  for (const folder of paths.filter(isFolder)) {
    const some = await filesIn(root, folder, { uid: uids.executor });
    sealed.push(...some.flatMap((file) => (asked.has(file.path) ? [] : [unasked(file)])));
  }
  return sealed;
}

function unasked({ path, size }: { path: string; size: number }): SealedFile {
  return { kind: 'unasked', path, size };
}

/** A file that the program kept from everybody but itself is nothing a supervisor without rights can read. */
async function beneath<T>(find: () => Promise<T>) {
  try {
    return await find();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    return { kind: 'refused', code: 'artifact_not_readable' } as const;
  }
}
