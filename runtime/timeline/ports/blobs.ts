import type { BlobRef } from '../block.ts';

type Options = { readonly signal: AbortSignal };

/** Looks at up to `limit` blobs, from `after` on, for those that were last put before `putBefore`. */
export type BlobListing = {
  readonly putBefore: number;
  readonly limit: number;
  readonly after?: string | undefined;
};
/** `next`: where the page after this one begins; absent: this was the last one. */
export type BlobPage = { readonly hashes: readonly string[]; readonly next?: string };
/** An installation that uses a blob store, since when, in milliseconds since 1970. */
export type BlobStoreUser = { readonly installation: string; readonly sinceMs: number };

/**
 * Stores bytes by their hash, per tenant. They are durable when `put` resolves; equal bytes are one blob. A failing disk or
 * service is Fault `BLOBS_UNAVAILABLE`, also in the middle of a stream. Errors from the source of a `put` are passed on
 * unchanged.
 */
export interface BlobStore {
  put(
    tenant: string,
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options: Options & { bytesMax?: number },
  ): Promise<BlobRef>;
  /** Fault `BLOB_MISSING` if the blob does not exist. `range` is in bytes, `end` exclusive. */
  open(
    tenant: string,
    hash: string,
    options: Options & { range?: { start: number; end: number } },
  ): Promise<{ size: number; stream: AsyncIterable<Uint8Array> }>;
  /**
   * Removes the blob, unless it was put at `putBefore` (milliseconds since 1970) or later: its writer may be about to refer
   * to it. False: not removed for that reason. Removing a missing blob has no effect.
   */
  remove(
    tenant: string,
    hash: string,
    options: Options & { readonly putBefore: number },
  ): Promise<boolean>;
  /** Reads the whole blob into memory and verifies its hash (Fault `BLOB_CORRUPT`). */
  get(tenant: string, hash: string, options: Options): Promise<Uint8Array>;
}

/** What is in a blob store, and who uses it. Its maintenance needs it. */
export type BlobInventory = {
  /** A page of the blobs of a tenant, in the order of their hashes. */
  list(tenant: string, options: Options & BlobListing): Promise<BlobPage>;
  /** Records that an installation uses the store, and returns all that have used it. The time is that of the first record. */
  register(installation: string, options: Options): Promise<readonly BlobStoreUser[]>;
};
