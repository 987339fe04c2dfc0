import { Refusal } from '../refusal.ts';

type ByteLimit = {
  readonly bytesMax: number;
  /** The subject of the message: “the request body has more than 10 bytes”. */
  readonly what: string;
};

/** All bytes of a stream, in memory. Refusal `too_large` if there are more than `bytesMax`; the rest is not read. */
export async function readBytes(
  stream: AsyncIterable<Uint8Array>,
  limit: ByteLimit,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.byteLength;
    if (size > limit.bytesMax) throw tooManyBytes(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * The beginning of a stream: up to `bytesMax` bytes, or less if the stream ends or the byte `until` has come. The rest is
 * not read.
 */
export async function readStart(
  stream: AsyncIterable<Uint8Array>,
  { bytesMax, until }: { readonly bytesMax: number; readonly until?: number },
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.byteLength;
    if (size >= bytesMax || (until !== undefined && piece.includes(until))) break;
  }
  return Buffer.concat(pieces).subarray(0, bytesMax);
}

/** The refusal of every place that counts bytes up to a limit. */
export function tooManyBytes({ bytesMax, what }: ByteLimit): Refusal {
  return new Refusal('too_large', `${what} has more than ${bytesMax} bytes`);
}
