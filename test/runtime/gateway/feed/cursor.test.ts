import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  comparePositions,
  type Position,
  parseCursor,
  toCursor,
} from '../../../../runtime/gateway/feed/cursor.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';

const number = fc.nat(1_000_000_000);
const position: fc.Arbitrary<Position> = fc.record({
  seq: number.map(toSeq),
  index: number,
  fence: number,
  number,
  since: number,
});

test('a cursor is parsed to its position, in its own conversation only', () => {
  fc.assert(
    fc.property(position, fc.string(), fc.string(), (at, mine, other) => {
      const cursor = toCursor(mine, at);
      expect(parseCursor(mine, cursor)).toEqual(at);
      if (mine !== other) expect(parseCursor(other, cursor)).toBeUndefined();
    }),
  );
});

test('a cursor with one changed character is invalid', () => {
  fc.assert(
    fc.property(position, fc.nat(), fc.constantFrom(...'0aZ.~'), (at, where, char) => {
      const cursor = toCursor('conv_a', at);
      const cut = where % cursor.length;
      const mended = cursor.slice(0, cut) + char + cursor.slice(cut + 1);
      if (mended !== cursor) expect(parseCursor('conv_a', mended)).toBeUndefined();
    }),
  );
});

test('garbage is not a cursor', () => {
  fc.assert(fc.property(fc.string(), (text) => parseCursor('conv_a', text) === undefined));
});

test('positions are ordered by block, part of it, owner, frame', () => {
  const places = [
    [1, 0, 9, 9],
    [1, 1, 0, 0],
    [1, 1, 1, 5],
    [1, 1, 2, 0],
    [2, 0, 0, 0],
  ] as const;
  const ordered = places.map(([seq, index, fence, n]) => ({
    seq: toSeq(seq),
    index,
    fence,
    number: n,
    since: 1,
  }));
  expect([...ordered].reverse().sort(comparePositions)).toEqual(ordered);
});
