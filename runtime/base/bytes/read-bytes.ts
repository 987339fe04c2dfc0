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

/** The refusal of every place that counts bytes up to a limit. */
export function tooManyBytes({ bytesMax, what }: ByteLimit): Refusal {
  return new Refusal('too_large', `${what} has more than ${bytesMax} bytes`);
}
