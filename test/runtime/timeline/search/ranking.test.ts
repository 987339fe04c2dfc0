import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuse, type RankedHit, type Ranking } from '../../../../runtime/timeline/search/ranking.ts';
import {
  cosine,
  isVector,
  signs,
  strongComponents,
} from '../../../../runtime/timeline/search/vectors.ts';

const dayMs = 24 * 3_600_000;
const ids = (ranked: readonly RankedHit[], weights = {}) =>
  fuse(ranked, weights).map(({ id }) => id);
const at = (ranking: Ranking, place: number, id: string): RankedHit => ({
  ranking,
  place,
  id,
  ageMs: 0,
});

// proves: memory.fusion
test('a hit that is high in two rankings comes before the best hit of one', () => {
  const ranked = [
    at('lexical', 1, 'a'),
    at('lexical', 2, 'b'),
    at('semantic', 2, 'b'),
    at('alike', 1, 'c'),
  ];
  expect(ids(ranked)).toEqual(['b', 'a', 'c']);
});

test('a new hit counts up to twice as much, depending on the weight', () => {
  const ranked = [{ ...at('lexical', 1, 'old'), ageMs: 100 * dayMs }, at('lexical', 30, 'new')];
  expect(ids(ranked)).toEqual(['new', 'old']);
  expect(ids(ranked, { recency: 0 })).toEqual(['old', 'new']);
  const week = fuse([{ ...at('lexical', 1, 'x'), ageMs: 7 * dayMs }])[0]?.score ?? 0;
  expect(week).toBeCloseTo((1 / 61) * 1.5, 10);
});

test('a ranking with weight 0 finds nothing, and weights above 2 count as 2', () => {
  expect(ids([at('semantic', 1, 'a'), at('lexical', 1, 'b')], { semantic: 0 })).toEqual(['b']);
  const [two, nine] = [{ lexical: 2 }, { lexical: 9 }].map((weights) =>
    fuse([at('lexical', 1, 'a')], weights),
  );
  expect(nine).toEqual(two);
  expect(fuse([at('lexical', 1, 'a')], { lexical: Number.NaN })).toEqual(
    fuse([at('lexical', 1, 'a')]),
  );
});

test('a negative age counts as new, and the order of the input does not matter', () => {
  const ranking = fc.constantFrom<Ranking>('lexical', 'alike', 'semantic');
  const one = fc.record({
    ranking,
    place: fc.integer({ min: 1, max: 100 }),
    id: fc.constantFrom('1.1', '1.2', '2.1', '2.2'),
    ageMs: fc.constantFrom(-dayMs, 0, dayMs),
  });
  fc.assert(
    fc.property(fc.array(one), (ranked) => {
      const aged = ranked.map((each) => ({
        ...each,
        ageMs: each.id.startsWith('1') ? -dayMs : dayMs,
      }));
      const fused = fuse(aged);
      const turned = fuse(aged.toReversed());
      expect(turned.map(({ id }) => id)).toEqual(fused.map(({ id }) => id));
      expect(fused.every(({ score }) => score > 0 && score <= 2 * aged.length)).toBe(true);
      expect(new Set(fused.map(({ id }) => id)).size).toBe(fused.length);
    }),
  );
});

test('the signs of two vectors differ more with their distance', () => {
  expect(cosine([1, 0], [0, 1])).toBe(0);
  expect(cosine([1, 2], [2, 4])).toBeCloseTo(1);
  expect(cosine([0, 0], [1, 1])).toBe(0);
  expect(signs([0.5, -0.1, 0])).toBe('100');
  expect(strongComponents([3, -3, 1, 0])).toBe('1100');
  expect(strongComponents([0, 0])).toBe('11');
  expect([isVector([1, 2], 2), isVector([1], 2), isVector([]), isVector([Number.NaN])]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
