import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FileRetention } from '../../../../supervisor/cell/cell.ts';
import { fileBeneath } from '../../../../supervisor/files/output-walk.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import { changedFileBytesMax } from './limits.ts';

type Place = {
  readonly root: string;
  readonly tenant: string;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
};

/** Stores a file of a workspace, which a program may be changing. Returns the code of the reason if it is not stored. */
export async function storeFile(
  path: string,
  { root, tenant, blobs, signal }: Place,
): Promise<BlobRef | string> {
  await using top = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  const { uid } = await top.stat();
  const bytesMax = changedFileBytesMax;
  const keep: FileRetention = {
    keeps: () => true,
    put: (_, bytes) => blobs.put(tenant, bytes, { signal, bytesMax }),
  };
  const stored = await fileBeneath(top, path, { uid, keep, bytesMax });
  if (stored.kind === 'refused') return stored.code;
  return stored.kind === 'file' && 'blob' in stored ? stored.blob : 'missing_file';
}
