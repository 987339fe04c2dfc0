import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isFolder } from '../../../../supervisor/files/contract.ts';
import { fileBeneath, filesIn } from '../../../../supervisor/files/output-walk.ts';
import { workspaceRetention } from '../../../../supervisor/files/workspace-retention.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { SealedFile, ToTask } from '../queue/messages.ts';
import { snapshotOf } from '../queue/snapshots.ts';
import { folders, uids } from '../settings/settings.ts';

type Options = { readonly snapshots: BlobStore; readonly signal: AbortSignal };
type SealRequest = Omit<ToTask & { type: 'seal' }, 'type'>;

/** Uploads the files that a program has left at these paths and hashes them on the way. The program may still run, so each file is checked and read through one handle. */
export async function sealFiles(
  { paths, given, bytesMax }: SealRequest,
  { snapshots, signal }: Options,
): Promise<readonly SealedFile[]> {
  await using root = await open(folders.out, constants.O_RDONLY | constants.O_DIRECTORY);
  const keep = workspaceRetention({
    given: new Map(given.map(({ name, ...blob }) => [name, blob])),
    put: (bytes) => snapshots.put(snapshotOf.outputs, bytes, { signal, bytesMax }),
  });
  const sealed: SealedFile[] = [];
  const sealOne = async (path: string) => {
    const found = await readableOrRefused(() =>
      fileBeneath(root, path, { uid: uids.executor, keep, bytesMax }),
    );
    if (found.kind === 'file') sealed.push({ kind: 'file', path, ...found.blob });
    if (found.kind === 'refused') sealed.push({ kind: 'refused', path, code: found.code });
  };
  for (const path of paths.filter((each) => !isFolder(each))) await sealOne(path);
  const asked = new Set(paths);
  for (const folder of paths.filter(isFolder)) {
    const some = await filesIn(root, folder, { uid: uids.executor });
    for (const file of some.filter(({ path }) => !asked.has(path))) {
      if (keep.keeps(file)) await sealOne(file.path);
      else sealed.push({ kind: 'unasked', ...file });
    }
  }
  return sealed;
}

/** An unprivileged supervisor cannot read a file that only the program's user may read. */
async function readableOrRefused<T>(find: () => Promise<T>) {
  try {
    return await find();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    return { kind: 'refused', code: 'artifact_not_readable' } as const;
  }
}
