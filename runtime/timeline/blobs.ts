import type { BlobRef } from './block.ts';

type Waits = { readonly signal: AbortSignal };

/** Bytes by their hash, kept per tenant. Durable when `put` resolves; the same bytes twice are one blob. */
export interface BlobStore {
  put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: Waits & { bytesMax?: number },
  ): Promise<BlobRef>;
  /** Fault `BLOB_MISSING` when there is none. `range` is in bytes, `end` exclusive. */
  open(
    tenant: string,
    hash: string,
    options: Waits & { range?: { start: number; end: number } },
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }>;
  /** The whole blob in memory, verified against its hash (Fault `BLOB_CORRUPT`). */
  get(tenant: string, hash: string, options: Waits): Promise<Uint8Array>;
}
