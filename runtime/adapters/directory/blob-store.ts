import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ContentHash } from '../../base/bytes/content-hash.ts';
import { Fault } from '../../base/fault.ts';
import { makeFolder } from '../../base/folders.ts';
import type { BlobRef } from '../../timeline/block.ts';
import type {
  BlobInventory,
  BlobListing,
  BlobPage,
  BlobStore,
  BlobStoreUser,
} from '../../timeline/ports/blobs.ts';
import { listBlobs, registerUser } from './list-blobs.ts';

type Waits = { readonly signal: AbortSignal };
type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** A temporary file this old was left by a crash; a newer one may belong to another process's put. */
const abandonedMs = 60 * 60_000;

/** Bytes per read of a large file. */
const readBytes = 1024 * 1024;

const hashShape = /^sha256:([0-9a-f]{2})([0-9a-f]{62})$/;

/**
 * Blobs as files, `<dir>/<tenant>/<first two of the hash>/<the rest>`. A file appears under its name only when it is
 * complete and synced, so a crash leaves at most a temporary file. Faults `DATA_DIR_UNWRITABLE` and, for later disk
 * errors, `BLOBS_UNAVAILABLE`.
 */
export async function openDirectoryBlobStore(
  dir: string,
): Promise<BlobStore & BlobInventory & AsyncDisposable> {
  const incoming = join(dir, 'incoming');
  try {
    await makeFolder(incoming);
    await removeAbandoned(incoming);
  } catch (cause) {
    throw new Fault('DATA_DIR_UNWRITABLE', { because: dir }, { cause });
  }
  return new DirectoryBlobStore(dir, incoming);
}

class DirectoryBlobStore implements BlobStore, BlobInventory, AsyncDisposable {
  readonly #dir: string;
  readonly #incoming: string;

  constructor(dir: string, incoming: string) {
    this.#dir = dir;
    this.#incoming = incoming;
  }

  async put(
    tenant: string,
    bytes: Bytes,
    { signal, bytesMax }: Waits & { bytesMax?: number },
  ): Promise<BlobRef> {
    signal.throwIfAborted();
    const temporary = join(this.#incoming, randomUUID());
    try {
      const ref = await writeSynced(temporary, bytes, { signal, bytesMax });
      await disk(settle(temporary, this.#path(tenant, ref.hash)));
      return ref;
    } finally {
      await disk(rm(temporary, { force: true }));
    }
  }

  async open(
    tenant: string,
    hash: string,
    { signal, range }: Waits & { range?: { start: number; end: number } },
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }> {
    signal.throwIfAborted();
    const path = this.#path(tenant, hash);
    const { size } = await orMissing(stat(path), hash);
    // Node's end is inclusive, so it cannot express an empty range.
    if (range && range.end <= range.start) return { size, stream: nothing() };
    const span = range ? { start: range.start, end: range.end - 1 } : {};
    const highWaterMark = Math.min(readBytes, Math.max(1, size));
    const read = () => createReadStream(path, { ...span, highWaterMark, signal });
    return { size, stream: fromDisk(read, hash) };
  }

  async get(tenant: string, hash: string, { signal }: Waits): Promise<Uint8Array> {
    signal.throwIfAborted();
    const bytes = await orMissing(readFile(this.#path(tenant, hash), { signal }), hash);
    if (sha256(bytes) !== hash) throw new Fault('BLOB_CORRUPT', { hash });
    return bytes;
  }

  /**
   * Moves the file aside first, checks its age there, and moves it back if it is new. A concurrent put creates a new
   * file, so no put is ever undone.
   */
  async remove(
    tenant: string,
    hash: string,
    { signal, putBefore }: Waits & { putBefore: number },
  ): Promise<boolean> {
    signal.throwIfAborted();
    if (!hashShape.test(hash)) return true;
    return disk(this.#remove(this.#path(tenant, hash), putBefore));
  }

  async #remove(path: string, putBefore: number): Promise<boolean> {
    if (await isYoung(path, putBefore)) return false;
    const aside = join(this.#incoming, randomUUID());
    if (!(await present(rename(path, aside)))) return true;
    try {
      if (!(await isYoung(aside, putBefore))) return true;
      await link(aside, path).catch(unlessThere);
      return false;
    } finally {
      await rm(aside, { force: true });
      await syncFolder(dirname(path));
    }
  }

  async list(tenant: string, { signal, ...listing }: Waits & BlobListing): Promise<BlobPage> {
    return await disk(listBlobs(join(this.#dir, folderOf(tenant)), listing, signal));
  }

  async register(installation: string, { signal }: Waits): Promise<readonly BlobStoreUser[]> {
    signal.throwIfAborted();
    return await disk(registerUser(join(this.#dir, 'installations'), installation));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // There are no open resources between calls.
  }

  #path(tenant: string, hash: string): string {
    const [, first = '', rest = ''] = hashShape.exec(hash) ?? [];
    if (first === '') throw new Fault('BLOB_MISSING', { hash });
    return join(this.#dir, folderOf(tenant), first, rest);
  }
}

/** A tenant name is untrusted: its hash names the folder, so the path cannot leave the directory or be too long. */
function folderOf(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 32);
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedMs) await rm(path, { force: true });
  }
}

async function writeSynced(
  path: string,
  bytes: Bytes,
  { signal, bytesMax }: Waits & { bytesMax?: number | undefined },
): Promise<BlobRef> {
  const meter = new ContentHash(bytesMax);
  const file = await disk(open(path, 'wx'));
  try {
    for await (const chunk of meter.through(bytes, signal)) await disk(file.writeFile(chunk));
    await disk(file.sync());
  } finally {
    await disk(file.close());
  }
  return meter.ref();
}

/** Renames the file and syncs the folder, so that the name survives a power cut. */
async function settle(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  const made = await mkdir(folder, { recursive: true });
  await rename(from, to);
  await syncFolder(folder);
  if (made !== undefined) await syncFolder(dirname(made));
}

async function syncFolder(path: string): Promise<void> {
  const folder: FileHandle = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A missing file does not count as new. */
async function isYoung(path: string, putBefore: number): Promise<boolean> {
  let mtimeMs = Number.NEGATIVE_INFINITY;
  await present(stat(path).then((found) => (mtimeMs = found.mtimeMs)));
  return mtimeMs >= putBefore;
}

/** False if there is no such file. */
async function present(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing;
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function unlessThere(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

async function orMissing<T>(reading: Promise<T>, hash: string): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw toFault(error, hash);
  }
}

/** Turns disk errors, such as no space or too many open files, into faults; leaves errors of the byte source unchanged. */
async function disk<T>(doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    throw toFault(error);
  }
}

/** Opens the file on the first read, so that an open error reaches the reader. */
async function* fromDisk(
  open: () => AsyncIterable<Uint8Array>,
  hash: string,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of open()) yield chunk;
  } catch (error) {
    throw toFault(error, hash);
  }
}

/** `hash`: for reads of a blob that may be missing. */
function toFault(error: unknown, hash?: string): unknown {
  if (!(error instanceof Error && 'syscall' in error)) return error;
  if (hash !== undefined && codeOf(error) === 'ENOENT') {
    return new Fault('BLOB_MISSING', { hash }, { cause: error });
  }
  return new Fault('BLOBS_UNAVAILABLE', { because: error.message }, { cause: error });
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function* nothing(): AsyncIterable<Uint8Array> {
  // Yields no chunk, for an empty range.
}
