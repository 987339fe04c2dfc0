import type { BlobRef } from '../block.ts';

type Options = { readonly signal: AbortSignal };

/**
 * Bytes by their hash, kept per tenant. Durable when `put` resolves; the same bytes twice are one blob. What a disk or a
 * service cannot do now is Fault `BLOBS_UNAVAILABLE`, also in the middle of a stream; what the source of a put throws
 * comes through as it is.
 */
export interface BlobStore {
  put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: Options & { bytesMax?: number },
  ): Promise<BlobRef>;
  /** Fault `BLOB_MISSING` when there is none. `range` is in bytes, `end` exclusive. */
  open(
    tenant: string,
    hash: string,
    options: Options & { range?: { start: number; end: number } },
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }>;
  /**
   * Removes it, unless it was put at `putBefore` (milliseconds since 1970) or later: whoever put it may be about to name
   * it. False: it was. To remove what is not there is nothing.
   */
  remove(
    tenant: string,
    hash: string,
    options: Options & { readonly putBefore: number },
  ): Promise<boolean>;
  /** The whole blob in memory, verified against its hash (Fault `BLOB_CORRUPT`). */
  get(tenant: string, hash: string, options: Options): Promise<Uint8Array>;
}
