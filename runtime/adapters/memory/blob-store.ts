import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';
import { Refusal } from '../../base/refusal.ts';
import type { BlobStore } from '../../timeline/blobs.ts';
import type { BlobRef } from '../../timeline/block.ts';

type Waits = { readonly signal: AbortSignal };

/** Blobs in plain memory, for tests and simulations. */
export function openMemoryBlobStore(): BlobStore & AsyncDisposable {
  return new MemoryBlobStore();
}

class MemoryBlobStore implements BlobStore, AsyncDisposable {
  readonly #blobs = new Map<string, Uint8Array>();

  async put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    { signal, bytesMax = Number.POSITIVE_INFINITY }: Waits & { bytesMax?: number },
  ): Promise<BlobRef> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of bytes instanceof Uint8Array ? [bytes] : bytes) {
      signal.throwIfAborted();
      size += chunk.byteLength;
      if (size > bytesMax) throw new Refusal('too_large', `more than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    signal.throwIfAborted();
    const whole = new Uint8Array(Buffer.concat(chunks));
    const hash = `sha256:${createHash('sha256').update(whole).digest('hex')}`;
    this.#blobs.set(nameOf(tenant, hash), whole);
    return { hash, size };
  }

  async open(
    tenant: string,
    hash: string,
    { signal, range }: Waits & { range?: { start: number; end: number } },
  ) {
    const whole = await this.get(tenant, hash, { signal });
    const part = range ? whole.subarray(range.start, range.end) : whole;
    return { size: whole.byteLength, stream: once(part) };
  }

  async get(tenant: string, hash: string, { signal }: Waits): Promise<Uint8Array> {
    signal.throwIfAborted();
    const whole = this.#blobs.get(nameOf(tenant, hash));
    if (whole === undefined) throw new Fault('BLOB_MISSING', { hash });
    return whole.slice();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#blobs.clear();
  }
}

function nameOf(tenant: string, hash: string): string {
  return JSON.stringify([tenant, hash]);
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
