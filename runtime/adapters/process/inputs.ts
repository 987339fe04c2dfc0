import { constants } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { MountedFile } from '../../../supervisor/cell/cell.ts';
import { sandboxPaths } from '../../../supervisor/cell/launcher-argv.ts';
import { verifyHash } from '../../base/bytes/verify-hash.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ExecRequest } from '../../tools/ports/sandbox.ts';
import type { Bind } from './helper.ts';

type Options = { readonly blobs: BlobStore; readonly signal: AbortSignal };

const fresh = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Writes the inputs as real files to a directory that the sandbox sees read-only. Returns the folders that must be
 * mounted into OUTPUT_DIR; the program makes its own copies of the others.
 */
export async function writeInputs(
  folder: string,
  request: ExecRequest,
  options: Options,
): Promise<readonly Bind[]> {
  const [fixed, given] = [join(folder, 'fixed'), join(folder, basename(sandboxPaths.given))];
  await Promise.all([fixed, given].map((path) => mkdir(path, { mode: 0o755 })));
  const { tenant } = request;
  for (const { filepath, writable, blob } of request.inputs) {
    await write(join(writable ? given : fixed, filepath), { tenant, blob }, options);
  }
  const names = await readdir(fixed);
  return names.map((name) => ({
    from: `${sandboxPaths.inputs}/fixed/${name}`,
    to: `${sandboxPaths.out}/${name}`,
  }));
}

/** Adds a file for a running sandbox, which sees the same directory. Leaves nothing behind if it fails. */
export async function writeMountedFile(
  folder: string,
  file: MountedFile,
  options: Options,
): Promise<void> {
  const path = join(folder, basename(sandboxPaths.mounted), file.name);
  try {
    await write(path, file, options);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function write(
  path: string,
  { tenant, blob }: Omit<MountedFile, 'name'>,
  { blobs, signal }: Options,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  const { stream } = await blobs.open(tenant, blob.hash, { signal });
  await using file = await open(path, fresh, 0o644);
  for await (const chunk of verifyHash(stream, blob)) {
    signal.throwIfAborted();
    await file.writeFile(chunk);
  }
}
