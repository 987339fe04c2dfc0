import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBytes, readStart } from '../../../../runtime/base/bytes/read-bytes.ts';

/** A stream that counts the pieces that were read, and knows whether it was closed. */
function counted(pieces: readonly Uint8Array[]) {
  const seen = { pieces: 0, isClosed: false };
  async function* stream() {
    try {
      for (const piece of pieces) {
        seen.pieces += 1;
        yield await Promise.resolve(piece);
      }
    } finally {
      seen.isClosed = true;
    }
  }
  return { stream: stream(), seen };
}

const pieces = fc.array(fc.uint8Array({ maxLength: 5 }), { maxLength: 8 });

// proves: limits.bytes
test('a stream within its limit is read whole, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(40), async (all, room) => {
      const whole = Buffer.concat(all);
      const { stream } = counted(all);
      const limit = { bytesMax: whole.length + room, what: 'the file' };
      expect(Buffer.compare(await readBytes(stream, limit), whole)).toBe(0);
    }),
  );
});

// proves: limits.bytes
test('of a longer stream no piece beyond the limit is read, and the stream is closed', async () => {
  const three = [1, 2, 3].map(() => new Uint8Array(4));
  const { stream, seen } = counted(three);
  const failure: unknown = await readBytes(stream, { bytesMax: 7, what: 'the file' }).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: 'too_large', message: 'the file has more than 7 bytes' });
  expect(seen).toEqual({ pieces: 2, isClosed: true });
});

// proves: limits.bytes
test('the beginning of a stream is what comes first, however it is cut, and the stream is closed', async () => {
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(50), async (all, bytesMax) => {
      const whole = Buffer.concat(all);
      const { stream, seen } = counted(all);
      const start = await readStart(stream, { bytesMax });
      expect(Buffer.compare(start, whole.subarray(0, bytesMax))).toBe(0);
      expect(seen.isClosed).toBe(true);
    }),
  );
  const { stream, seen } = counted([Buffer.from('ab'), Buffer.from('c\0d'), Buffer.from('e')]);
  expect((await readStart(stream, { bytesMax: 99, until: 0 })).toString()).toBe('abc\0d');
  expect(seen).toEqual({ pieces: 2, isClosed: true });
});
