import { Fault } from '../fault.ts';
import { ContentHash } from './content-hash.ts';

/** Passes the bytes on; throws Fault `BLOB_CORRUPT` at their end if their hash or size is wrong. */
export async function* verifyHash(
  bytes: AsyncIterable<Uint8Array>,
  { hash, size }: { hash: string; size: number },
): AsyncGenerator<Uint8Array, void> {
  const meter = new ContentHash();
  yield* meter.through(bytes);
  const found = meter.ref();
  if (found.size !== size || found.hash !== hash) throw new Fault('BLOB_CORRUPT', { hash });
}
