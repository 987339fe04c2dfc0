import { constants } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { inside } from '../../../supervisor/launch.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest, InputFile } from '../../tools/sandbox.ts';
import type { Bind } from './mounts.ts';

type Options = { readonly blobs: BlobStore; readonly signal: AbortSignal };

const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * The inputs as real files in a directory of ours that the sandbox sees read-only. Returns which
 * of its folders belong into OUTPUT_DIR; of the others the program makes its own copies.
 */
export async function writeInputs(
  folder: string,
  request: ExecRequest,
  options: Options,
): Promise<readonly Bind[]> {
  const [fixed, given] = [join(folder, 'fixed'), join(folder, basename(inside.given))];
  await Promise.all([fixed, given].map((path) => mkdir(path, { mode: 0o755 })));
  for (const input of request.inputs) {
    await write(join(input.writable ? given : fixed, input.filepath), input, {
      ...options,
      tenant: request.tenant,
    });
  }
  const names = await readdir(fixed);
  return names.map((name) => ({
    from: `${inside.inputs}/fixed/${name}`,
    to: `${inside.out}/${name}`,
  }));
}

async function write(
  path: string,
  input: InputFile,
  { tenant, blobs, signal }: Options & { tenant: string },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const { stream } = await blobs.open(tenant, input.blob.hash, { signal });
  await using file = await open(path, fresh, 0o644);
  for await (const chunk of stream) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
  }
}
