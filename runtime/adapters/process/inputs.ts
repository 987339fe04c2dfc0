import { constants } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inside } from '../../../supervisor/launch.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { ExecRequest, InputFile } from '../../tools/sandbox.ts';

type Options = { readonly blobs: BlobStore; readonly signal: AbortSignal };

/** `[host path, path inside]`, to be bound read-only. */
export type Bind = readonly [string, string];

const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * The inputs as real files in a directory of ours. Read-only ones are bound into OUTPUT_DIR where
 * the program expects them; of the others the launcher makes the program its own copies.
 */
export async function writeInputs(
  folder: string,
  request: ExecRequest,
  options: Options,
): Promise<readonly Bind[]> {
  const [fixed, given] = [join(folder, 'inputs'), join(folder, 'given')];
  await Promise.all([fixed, given].map((path) => mkdir(path, { mode: 0o755 })));
  for (const input of request.inputs) {
    await write(join(input.writable ? given : fixed, input.filepath), input, {
      ...options,
      tenant: request.tenant,
    });
  }
  const names = await readdir(fixed);
  return [
    [given, inside.given],
    ...names.map((name) => [join(fixed, name), `${inside.out}/${name}`] as const),
  ];
}

async function write(
  path: string,
  input: InputFile,
  { tenant, blobs, signal }: Options & { tenant: string },
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const { stream } = await blobs.open(tenant, input.blob.hash, { signal });
  await using file = await open(path, fresh, 0o444);
  for await (const chunk of stream) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
  }
}
