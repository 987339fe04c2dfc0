import { expect, test } from 'vitest';
import { anchorsIn, outcomeIn } from '../../../runtime/timeline/working-summary.ts';

const cases: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  [
    'lines',
    'Goal: x\nAnchors:\n- phrases: "rainy days", "wettest month"\n- entities: Seattle, NOAA\nRefs: fi:a',
    ['rainy days', 'wettest month'],
    ['Seattle', 'NOAA'],
  ],
  [
    'one line',
    'Goal: a / Outcome: b / Anchors: phrases: rain in Seattle; wet days entities: Seattle',
    ['rain in Seattle', 'wet days'],
    ['Seattle'],
  ],
  [
    'unlabelled',
    'Anchors: Seattle weather, wettest month',
    ['Seattle weather', 'wettest month'],
    [],
  ],
  [
    'JSON',
    'Retrieval anchors: {"phrases": ["wet days"], "entities": ["Seattle"]}',
    ['wet days'],
    ['Seattle'],
  ],
  ['followed by another part', 'Anchors: wet days / Refs: fi:x', ['wet days'], []],
  ['none', 'Goal: x\nOutcome: y', [], []],
];

test.each(cases)('anchors are read: %s', (...[, text, phrases, entities]) => {
  expect(anchorsIn(text)).toEqual({ phrases, entities });
});

test('anchors are bounded in number and length', () => {
  const { phrases } = anchorsIn(
    `Anchors: ${Array.from({ length: 90 }, (_, n) => `word${n}`).join(', ')}, ${'x'.repeat(500)}`,
  );
  expect(phrases).toHaveLength(40);
  expect(anchorsIn(`Anchors: ${'x'.repeat(500)}`).phrases[0]).toHaveLength(160);
});

test.each([
  ['Goal: light the lamps.\nOutcome: all are lit.\nKey facts: twelve.', 'all are lit.'],
  ['Goal: lamps / Outcome: all are lit / Key facts: twelve', 'all are lit'],
  ['**Goal**: lamps\n**Outcome**: all are lit,\nbut one.', 'all are lit,\nbut one.'],
  ['All are lit.', undefined],
  ['Goal: lamps\nOutcome:\nKey facts: twelve', undefined],
])('the outcome of a turn is found in any form of summary: %j', (summary, outcome) => {
  expect(outcomeIn(summary)).toBe(outcome);
});
