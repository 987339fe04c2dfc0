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

type Waits = { readonly signal: AbortSignal };

/** Blobs in plain memory, for tests and simulations. */
export function openMemoryBlobStore({
  now = Date.now,
} = {}): BlobStore & BlobInventory & AsyncDisposable {
  return new MemoryBlobStore(now);
}

class MemoryBlobStore implements BlobStore, BlobInventory, AsyncDisposable {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #putAt = new Map<string, number>();
  readonly #users = new Map<string, BlobStoreUser>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    { signal, bytesMax = Number.POSITIVE_INFINITY }: Waits & { bytesMax?: number },
  ): Promise<BlobRef> {
    const meter = new ContentHash(bytesMax);
    const whole = await readBytes(meter.through(bytes, signal), { bytesMax, what: 'the content' });
    const ref = meter.ref();
    this.#blobs.set(nameOf(tenant, ref.hash), new Uint8Array(whole));
    this.#putAt.set(nameOf(tenant, ref.hash), this.#now());
    return ref;
  }

  async remove(
    tenant: string,
    hash: string,
    { signal, putBefore }: Waits & { putBefore: number },
  ): Promise<boolean> {
    signal.throwIfAborted();
    const name = nameOf(tenant, hash);
    if ((this.#putAt.get(name) ?? Number.NEGATIVE_INFINITY) >= putBefore) return false;
    this.#blobs.delete(name);
    this.#putAt.delete(name);
    return true;
  }

  async list(
    tenant: string,
    { signal, putBefore, limit, after = '' }: Waits & BlobListing,
  ): Promise<BlobPage> {
    signal.throwIfAborted();
    const names = [...this.#putAt.keys()].map((name) => JSON.parse(name) as [string, string]);
    const rest = names.flatMap(([of, hash]) => (of === tenant && hash > after ? [hash] : []));
    const seen = rest.toSorted().slice(0, limit);
    const hashes = seen.filter((hash) => (this.#putAt.get(nameOf(tenant, hash)) ?? 0) < putBefore);
    const next = seen.length < rest.length ? seen.at(-1) : undefined;
    return next === undefined ? { hashes } : { hashes, next };
  }

  async register(installation: string, { signal }: Waits): Promise<readonly BlobStoreUser[]> {
    signal.throwIfAborted();
    if (!this.#users.has(installation))
      this.#users.set(installation, { installation, sinceMs: this.#now() });
    return [...this.#users.values()];
  }

  async open(
    tenant: string,
    hash: string,
    { signal, range }: Waits & { range?: { start: number; end: number } },
  ) {
    signal.throwIfAborted();
    const whole = this.#whole(tenant, hash);
    const { start, end } = range ?? { start: 0, end: whole.byteLength };
    return { size: whole.byteLength, stream: once(whole.slice(start, end)) };
  }

  async get(tenant: string, hash: string, { signal }: Waits): Promise<Uint8Array> {
    signal.throwIfAborted();
    return this.#whole(tenant, hash).slice();
  }

  #whole(tenant: string, hash: string): Uint8Array {
    const whole = this.#blobs.get(nameOf(tenant, hash));
    if (whole === undefined) throw new Fault('BLOB_MISSING', { hash });
    return whole;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#blobs.clear();
    this.#putAt.clear();
    this.#users.clear();
  }
}

function nameOf(tenant: string, hash: string): string {
  return JSON.stringify([tenant, hash]);
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
