import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainOf, UploadParts } from '../../../../runtime/gateway/files/upload-parts.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';

const spans = fc.array(
  fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 20 })).map(([start, length]) => ({
    ...{ key: `${start}+${length}`, start, end: start + length },
  })),
);

// proves: uploads.resumed
test('parts in any order, repeated or overlapping, form the file up to the first gap', async () => {
  const file = new Uint8Array(60).map((_, at) => at);
  await fc.assert(
    fc.asyncProperty(spans, async (pieces) => {
      const parts = new UploadParts(createMemoryStorage(() => 0));
      for (const { start, end } of pieces) {
        await parts.add('s', { upload: 'u', start, bytes: file.slice(start, end), ttlMs: 1_000 });
      }
      const covered = new Set(pieces.flatMap(({ start, end }) => range(start, end)));
      const gap = file.findIndex((_, at) => !covered.has(at));
      expect(await parts.extent('s', 'u')).toBe(gap < 0 ? 60 : gap);
      const read: number[] = [];
      for await (const piece of parts.read('s', 'u')) read.push(...piece);
      expect(read).toEqual(range(0, gap < 0 ? 60 : gap));
      await parts.remove('s', 'u');
      expect(await parts.extent('s', 'u')).toBe(0);
    }),
  );
});

test('of contiguous parts, each one that is read reaches further', () => {
  fc.assert(
    fc.property(spans, (pieces) => {
      const chain = chainOf(pieces);
      const ends = [0, ...chain.map(({ end }) => end)];
      expect(
        chain.every(({ start, end }, at) => start <= (ends[at] ?? 0) && end > (ends[at] ?? 0)),
      ).toBe(true);
    }),
  );
});

function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, at) => start + at);
}
