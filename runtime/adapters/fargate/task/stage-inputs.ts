import { createWriteStream } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { verifyHash } from '../../../base/bytes/verify-hash.ts';
import { Fault } from '../../../base/fault.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { SentMount, StagedInputFile } from '../queue/messages.ts';
import { snapshotOf } from '../queue/snapshots.ts';
import { folders } from '../settings/settings.ts';

type Options = { readonly snapshots: BlobStore; readonly signal: AbortSignal };

/**
 * Writes inputs where the program expects them. No program runs yet, so its directory is still writable.
 * Files and folders belong to another user than the program's, so it cannot change, move or replace them.
 */
export async function stageInputs(
  files: readonly StagedInputFile[],
  options: Options,
): Promise<void> {
  const created = new Set<string>();
  for (const { filepath, writable, ...ref } of files) {
    const root = writable ? sandboxPaths.given : folders.out;
    const path = placeIn(root, filepath);
    await write(path, ref, options);
    if (writable) continue;
    for (let at = dirname(path); at !== root; at = dirname(at)) created.add(at);
  }
  for (const folder of created) await chmod(folder, 0o555);
}

/** Adds a file for a running program, in a volume that is read-only for the program. */
export async function mountFile({ name, ...ref }: SentMount, options: Options): Promise<void> {
  await write(placeIn(sandboxPaths.mounted, name), ref, options);
}

function placeIn(root: string, name: string): string {
  const path = join(root, name);
  if (normalize(name) !== name || !path.startsWith(`${root}/`))
    throw new Fault('EXEC_PROTOCOL', { because: 'an input path leads outside its folder' });
  return path;
}

async function write(path: string, ref: BlobRef, { snapshots, signal }: Options): Promise<void> {
  const { stream } = await snapshots.open(snapshotOf.inputs, ref.hash, { signal });
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await pipeline(verifyHash(stream, ref), createWriteStream(path, { flags: 'wx', mode: 0o644 }));
}
