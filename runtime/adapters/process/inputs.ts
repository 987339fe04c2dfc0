import { constants } from 'node:fs';
import { chown, type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { InputFile } from '../../tools/sandbox.ts';

type Options = {
  readonly tenant: string;
  readonly blobs: BlobStore;
  readonly uid: number;
  readonly signal: AbortSignal;
};

const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Real files beneath a directory of ours, which the sandbox sees read-only. */
export async function writeReadOnly(
  folder: string,
  inputs: readonly InputFile[],
  options: Options,
): Promise<void> {
  for (const input of inputs) {
    const path = join(folder, input.filepath);
    await mkdir(dirname(path), { recursive: true, mode: 0o755 });
    await write(path, input, { ...options, mode: 0o444 });
  }
}

/**
 * Files the program may change, in its own directory, before there is a program: nothing in there
 * can have planted a link yet.
 */
export async function writeWritable(
  root: FileHandle,
  inputs: readonly InputFile[],
  options: Options,
): Promise<void> {
  const base = `/proc/self/fd/${root.fd}`;
  for (const input of inputs) {
    for (const folder of foldersOf(input.filepath)) {
      const made = await mkdir(join(base, folder), { recursive: true, mode: 0o755 });
      if (made !== undefined) await own(join(base, folder), options.uid);
    }
    const path = join(base, input.filepath);
    await write(path, input, { ...options, mode: 0o644 });
    await own(path, options.uid);
  }
}

async function write(
  path: string,
  input: InputFile,
  { tenant, blobs, signal, mode }: Options & { mode: number },
): Promise<void> {
  const { stream } = await blobs.open(tenant, input.blob.hash, { signal });
  await using file = await open(path, fresh, mode);
  await pipeline(stream, file.createWriteStream({ autoClose: false }), { signal });
}

function foldersOf(filepath: string): readonly string[] {
  const names = filepath.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

async function own(path: string, uid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, uid);
}
