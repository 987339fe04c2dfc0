import { createWriteStream } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sandboxPaths } from '../../../../supervisor/cell/launcher-argv.ts';
import { Fault } from '../../../base/fault.ts';
import { verified } from '../../../base/verify-hash.ts';
import type { BlobRef } from '../../../timeline/block.ts';
import type { BlobStore } from '../../../timeline/ports/blobs.ts';
import type { SentMount, StagedInputFile } from '../queue/messages.ts';
import { snapshotOf } from '../queue/snapshots.ts';
import { folders } from '../settings/settings.ts';

type Options = { readonly snapshots: BlobStore; readonly signal: AbortSignal };

/**
 * Inputs where the program looks for them. No program runs yet, so its directory may still be written;
 * what is put there belongs to another user than the program, in folders of that user, so it cannot
 * be changed, moved or replaced.
 */
export async function stageInputs(
  files: readonly StagedInputFile[],
  options: Options,
): Promise<void> {
  const made = new Set<string>();
  for (const { filepath, writable, ...ref } of files) {
    const root = writable ? sandboxPaths.given : folders.out;
    const place = placeIn(root, filepath);
    await write(place, ref, options);
    if (writable) continue;
    for (let at = dirname(place); at !== root; at = dirname(at)) made.add(at);
  }
  for (const folder of made) await chmod(folder, 0o555);
}

/** One more file for a program that runs: in a volume that is read-only where the program is. */
export async function mountFile({ name, ...ref }: SentMount, options: Options): Promise<void> {
  await write(placeIn(sandboxPaths.mounted, name), ref, options);
}

function placeIn(root: string, name: string): string {
  const place = join(root, name);
  if (normalize(name) !== name || !place.startsWith(`${root}/`))
    throw new Fault('EXEC_PROTOCOL', { because: 'an input outside its folder' });
  return place;
}

async function write(place: string, ref: BlobRef, { snapshots, signal }: Options): Promise<void> {
  const { stream } = await snapshots.open(snapshotOf.inputs, ref.hash, { signal });
  await mkdir(dirname(place), { recursive: true, mode: 0o755 });
  await pipeline(verified(stream, ref), createWriteStream(place, { flags: 'wx', mode: 0o644 }));
}
