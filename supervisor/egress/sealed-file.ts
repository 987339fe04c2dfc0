import { invariant } from '../../runtime/base/assert.ts';
import { readBytes } from '../../runtime/base/bytes/read-bytes.ts';
import type { BlobRef } from '../../runtime/timeline/block.ts';
import type { BlobStore } from '../../runtime/timeline/ports/blobs.ts';

/** Our own copy of a file, which the program can no longer change. */
export type SealedFile = {
  readonly size: number;
  read(range: { start: number; end: number }): Promise<Buffer>;
  stream(): Promise<AsyncIterable<Uint8Array>>;
};

type BlobAccess = {
  readonly tenant: string;
  readonly blobs: BlobStore;
  readonly signal: AbortSignal;
};

export function sealedFile(
  { hash, size }: BlobRef,
  { tenant, blobs, signal }: BlobAccess,
): SealedFile {
  return {
    size,
    read: async ({ start, end }) => {
      invariant(start >= 0 && end <= size, 'a range is within the file');
      if (start === end) return Buffer.alloc(0);
      const range = { start, end };
      const { stream } = await blobs.open(tenant, hash, { signal, range });
      return await readBytes(stream, { bytesMax: end - start, what: 'the range' });
    },
    stream: async () => (await blobs.open(tenant, hash, { signal })).stream,
  };
}
