import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '../../../../runtime/adapters/mcp/connection/line-splitter.ts';

test('however a text is cut into chunks, its lines are the same', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(9), { minLength: 1 }), (all, sizes) => {
      const bytes = Buffer.from(
        all
          .map((each) => `${each}\n`)
          .join('')
          .toWellFormed(),
      );
      const lines = new LineSplitter(1_000_000);
      const read: string[] = [];
      for (let at = 0, i = 0; at < bytes.length; i += 1) {
        const size = (sizes[i % sizes.length] ?? 0) + 1;
        read.push(...lines.push(bytes.subarray(at, at + size)));
        at += size;
      }
      expect(read).toEqual(all.map((each) => each.toWellFormed()));
    }),
  );
});

test('a line may be as long as allowed, not longer', () => {
  const lines = new LineSplitter(4);
  expect([...lines.push(Buffer.from('ab')), ...lines.push(Buffer.from('cd\nef'))]).toEqual([
    'abcd',
  ]);
  expect(() => [...lines.push(Buffer.from('ghi'))]).toThrow('more than 4 bytes');
});
