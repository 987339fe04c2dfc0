import { createWriteStream } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inside } from '../../../../supervisor/launch.ts';
import { Fault } from '../../../base/fault.ts';
import type { BlobStore } from '../../../timeline/blobs.ts';
import type { SentFile } from '../letters.ts';
import { folders } from '../settings.ts';
import { snapshotOf } from '../snapshots.ts';
import { verified } from '../verified.ts';

/**
 * Inputs where the program looks for them. No program runs yet, so its directory may still be written;
 * what is put there belongs to another user than the program, in folders of that user, so it cannot
 * be changed, moved or replaced.
 */
export async function furnish(
  files: readonly SentFile[],
  { snapshots, signal }: { snapshots: BlobStore; signal: AbortSignal },
): Promise<void> {
  const made = new Set<string>();
  for (const file of files) {
    const root = file.writable ? inside.given : folders.out;
    const place = join(root, file.filepath);
    if (normalize(file.filepath) !== file.filepath || !place.startsWith(`${root}/`))
      throw new Fault('EXEC_PROTOCOL', { because: 'an input outside its folder' });
    const { stream } = await snapshots.open(snapshotOf.inputs, file.hash, { signal });
    await mkdir(dirname(place), { recursive: true, mode: 0o755 });
    await pipeline(verified(stream, file), createWriteStream(place, { flags: 'wx', mode: 0o644 }));
    if (file.writable) continue;
    for (let at = dirname(place); at !== root; at = dirname(at)) made.add(at);
  }
  for (const folder of made) await chmod(folder, 0o555);
}
