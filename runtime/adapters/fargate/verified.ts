import { createHash } from 'node:crypto';
import { Fault } from '../../base/fault.ts';

/** The bytes, and at their end Fault `BLOB_CORRUPT` if they are not the ones that were named. */
export async function* verified(
  bytes: AsyncIterable<Uint8Array>,
  { hash, size }: { hash: string; size: number },
): AsyncGenerator<Uint8Array, void> {
  const found = createHash('sha256');
  let count = 0;
  for await (const chunk of bytes) {
    found.update(chunk);
    count += chunk.byteLength;
    yield chunk;
  }
  if (count !== size || `sha256:${found.digest('hex')}` !== hash)
    throw new Fault('BLOB_CORRUPT', { hash });
}
