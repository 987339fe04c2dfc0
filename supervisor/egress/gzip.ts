import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Allowance } from './members.ts';
import type { SealedFile } from './sealed-file.ts';
import { checkTar, isTar } from './tar.ts';

/** Unpacks a gzip file, counts its bytes, and checks it if it is a tar. */
export async function checkGzip(file: SealedFile, allowance: Allowance): Promise<void> {
  await pipeline(await file.stream(), createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
    const chunks = counted(unpacked, allowance)[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) return;
    const whole = joined(first.value, chunks);
    if (isTar(first.value)) await checkTar(whole, allowance);
    else for await (const _ of whole);
  });
}

async function* counted(
  unpacked: AsyncIterable<Buffer>,
  allowance: Allowance,
): AsyncGenerator<Buffer> {
  for await (const chunk of unpacked) {
    allowance.unpack(chunk.length);
    yield chunk;
  }
}

async function* joined(
  first: Buffer,
  rest: AsyncIterator<Buffer, unknown>,
): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
