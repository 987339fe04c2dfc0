import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ContentHash } from '../../base/bytes/content-hash.ts';
import { readBytes } from '../../base/bytes/read-bytes.ts';
import { Fault } from '../../base/fault.ts';
import type { BlobRef } from '../../timeline/block.ts';
import type {
  BlobInventory,
  BlobListing,
  BlobPage,
  BlobStore,
  BlobStoreUser,
} from '../../timeline/ports/blobs.ts';
import { abandonedMax, abandonedMs, installationsMax, wholeBytesMax } from './limits.ts';
import { type S3Location, S3Objects } from './objects.ts';

type Waits = { readonly signal: AbortSignal };
type Bytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Blobs whose hash is not known yet. */
const incomingFolder = 'incoming';
/** The installations that use the store. */
const usersFolder = 'installations';
const hashShape = /^sha256:([0-9a-f]{64})$/;

/**
 * Blobs as objects, `<prefix>/<tenant>/<hash>`. A blob whose hash is known only at its end is uploaded under a temporary
 * name and then moved, so that only complete blobs appear under their hash. Fault `BLOBS_UNAVAILABLE` if the bucket does
 * not answer.
 */
export async function openS3BlobStore(
  place: S3Location,
  options: Waits,
): Promise<BlobStore & BlobInventory & AsyncDisposable> {
  const objects = new S3Objects(place);
  await objects.check(options);
  await removeAbandoned(objects, options);
  return new S3BlobStore(objects);
}

/** What a crash left between the upload of a large blob and its move. */
async function removeAbandoned(objects: S3Objects, { signal }: Waits): Promise<void> {
  const { entries } = await objects.entries(incomingFolder, { max: abandonedMax, signal });
  const old = entries.filter(({ putAtMs }) => putAtMs < Date.now() - abandonedMs);
  for (const { key } of old) await objects.remove(key);
}

/** Blobs over objects that the caller has opened and will close. */
export function s3BlobsOver(objects: S3Objects): BlobStore {
  return new S3BlobStore(objects);
}

class S3BlobStore implements BlobStore, BlobInventory, AsyncDisposable {
  readonly #objects: S3Objects;

  constructor(objects: S3Objects) {
    this.#objects = objects;
  }

  async put(
    tenant: string,
    bytes: Bytes,
    { signal, bytesMax }: Waits & { bytesMax?: number },
  ): Promise<BlobRef> {
    signal.throwIfAborted();
    const meter = new ContentHash(bytesMax);
    const chunks = meter.through(bytes, signal);
    const { head, rest } = await beginning(chunks);
    if (rest) return this.#putLarge(tenant, { body: rest, meter }, signal);
    const ref = meter.ref();
    const [, sha256 = ''] = hashShape.exec(ref.hash) ?? [];
    await this.#objects.put(keyOf(tenant, ref.hash), head, { sha256, signal });
    return ref;
  }

  async open(
    tenant: string,
    hash: string,
    { signal, range }: Waits & { range?: { start: number; end: number } },
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }> {
    const key = keyOf(tenant, hash);
    if (!range) return found(await this.#objects.get(key, { signal }), hash);
    const size = found(await this.#objects.size(key, { signal }), hash);
    const end = Math.min(range.end, size);
    if (end <= range.start) return { size, stream: nothing() };
    const part = await this.#objects.get(key, { signal, range: { start: range.start, end } });
    return { size, stream: found(part, hash).stream };
  }

  async get(tenant: string, hash: string, { signal }: Waits): Promise<Uint8Array> {
    const { size, stream } = await this.open(tenant, hash, { signal });
    const meter = new ContentHash();
    const bytes = await readBytes(meter.through(stream, signal), {
      bytesMax: size,
      what: 'the object',
    });
    if (meter.ref().hash !== hash) throw new Fault('BLOB_CORRUPT', { hash });
    return new Uint8Array(bytes);
  }

  /** The service has no conditional removal by time: some milliseconds pass between the check and the removal. */
  async remove(
    tenant: string,
    hash: string,
    { signal, putBefore }: Waits & { putBefore: number },
  ): Promise<boolean> {
    if (!hashShape.test(hash)) return true;
    const key = keyOf(tenant, hash);
    const putAtMs = await this.#objects.putAt(key, { signal });
    if (putAtMs === undefined) return true;
    if (putAtMs >= putBefore) return false;
    await this.#objects.remove(key);
    return true;
  }

  async list(
    tenant: string,
    { signal, putBefore, limit, after }: Waits & BlobListing,
  ): Promise<BlobPage> {
    const folder = folderOf(tenant);
    const start = after === undefined ? undefined : keyOf(tenant, after);
    const page = { max: limit, after: start, signal };
    const { entries, isLast } = await this.#objects.entries(folder, page);
    const old = entries.filter(({ putAtMs }) => putAtMs < putBefore);
    const hashes = old.map(({ key }) => `sha256:${nameIn(folder, key)}`);
    const last = isLast ? undefined : entries.at(-1);
    return last ? { hashes, next: `sha256:${nameIn(folder, last.key)}` } : { hashes };
  }

  async register(installation: string, { signal }: Waits): Promise<readonly BlobStoreUser[]> {
    const known = await this.#users(signal);
    if (known.some((user) => user.installation === installation)) return known;
    const sha256 = createHash('sha256').digest('hex');
    const key = `${usersFolder}/${encodeURIComponent(installation)}`;
    await this.#objects.put(key, new Uint8Array(), { sha256, signal });
    return await this.#users(signal);
  }

  async #users(signal: AbortSignal): Promise<readonly BlobStoreUser[]> {
    const page = { max: installationsMax, signal };
    const { entries } = await this.#objects.entries(usersFolder, page);
    return entries.map(({ key, putAtMs }) => {
      return { installation: decodeURIComponent(nameIn(usersFolder, key)), sinceMs: putAtMs };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#objects.close();
  }

  async #putLarge(
    tenant: string,
    { body, meter }: { body: AsyncIterable<Uint8Array>; meter: ContentHash },
    signal: AbortSignal,
  ): Promise<BlobRef> {
    const incoming = `${incomingFolder}/${randomUUID()}`;
    await this.#objects.upload(incoming, Readable.from(body), { signal });
    const ref = meter.ref();
    await this.#objects.move(incoming, keyOf(tenant, ref.hash), { signal });
    return ref;
  }
}

/** A short stream as `head`; for a long one, `rest` yields the whole stream again. */
async function beginning(
  chunks: AsyncGenerator<Uint8Array, void>,
): Promise<{ head: Uint8Array; rest?: AsyncIterable<Uint8Array> }> {
  const held: Uint8Array[] = [];
  let size = 0;
  while (size <= wholeBytesMax) {
    const next = await chunks.next();
    if (next.done) return { head: Buffer.concat(held) };
    held.push(next.value);
    size += next.value.byteLength;
  }
  return { head: new Uint8Array(), rest: both(held, chunks) };
}

async function* both(
  held: readonly Uint8Array[],
  more: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  yield* held;
  yield* more;
}

async function* nothing(): AsyncIterable<Uint8Array> {
  // Yields no chunk, for an empty range.
}

function keyOf(tenant: string, hash: string): string {
  const [, hex] = hashShape.exec(hash) ?? [];
  if (hex === undefined) throw new Fault('BLOB_MISSING', { hash });
  return `${folderOf(tenant)}/${hex}`;
}

/** A tenant name is untrusted: its hash is used, so that the key cannot lead elsewhere. */
function folderOf(tenant: string): string {
  return createHash('sha256').update(tenant).digest('hex').slice(0, 32);
}

function nameIn(folder: string, key: string): string {
  return key.slice(folder.length + 1);
}

function found<T>(value: T | undefined, hash: string): T {
  if (value === undefined) throw new Fault('BLOB_MISSING', { hash });
  return value;
}
