import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ContentHash } from '../../../../runtime/base/bytes/content-hash.ts';

test('chunks pass unchanged, and the hash covers all of them', async () => {
  const chunk = fc.uint8Array({ maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 8 }), async (chunks) => {
      const meter = new ContentHash();
      const passed: Uint8Array[] = [];
      for await (const one of meter.through(each(chunks))) passed.push(one);
      expect(passed).toEqual(chunks);
      const whole = Buffer.concat(chunks);
      const hash = `sha256:${createHash('sha256').update(whole).digest('hex')}`;
      expect(meter.ref()).toEqual({ hash, size: whole.length });
    }),
  );
});

test('one byte over the limit is refused before it passes', async () => {
  const meter = new ContentHash(3);
  const chunks = meter.through(each([new Uint8Array(3), new Uint8Array(1)]));
  expect((await chunks.next()).value).toEqual(new Uint8Array(3));
  await expect(chunks.next()).rejects.toMatchObject({ name: 'Refusal', code: 'too_large' });
});

async function* each(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* chunks;
}
