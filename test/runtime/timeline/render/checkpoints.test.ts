import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheLookBackParts } from '../../../../runtime/timeline/limits.ts';
import { checkpoints } from '../../../../runtime/timeline/render/checkpoints.ts';
import type { Segment } from '../../../../runtime/timeline/render/segments.ts';
import { runs } from '../../../tools/runs.ts';

// proves: timeline.look-back

/** Turns as the numbers of parts: of what people sent, then of each round. */
const turns = fc.array(
  fc.record({
    sent: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 20, max: 70 })),
    rounds: fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })), {
      minLength: 1,
      maxLength: 8,
    }),
  }),
  { minLength: 1, maxLength: 5 },
);
type Turn = { readonly sent: number; readonly rounds: readonly number[] };

/** What each request of the conversation had as its timeline. */
function requests(all: readonly Turn[]): readonly (readonly Segment[])[] {
  const segments: Segment[] = [];
  const made: Segment[][] = [];
  all.forEach(({ sent, rounds }, index) => {
    const turn = `turn_${index}`;
    const part = (more: object) => ({
      part: { kind: 'text' as const, text: `${segments.length}` },
      tokens: 1,
      turn,
      blocks: [],
      ...more,
    });
    for (let n = 0; n < sent; n += 1) segments.push(part({}));
    rounds.forEach((parts, round) => {
      made.push([...segments]);
      for (let n = 0; n < parts; n += 1) {
        const first = n === 0 ? { opensRound: true } : {};
        segments.push(part({ ...first, ...(n === parts - 1 ? { round: round + 1 } : {}) }));
      }
    });
  });
  return made;
}

test('the entry that the request before wrote last is always within the look-back of a mark', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const made = requests(all);
      made.slice(1).forEach((segments, index) => {
        const tailBefore = (made[index]?.length ?? 0) - 1;
        const marks = [...checkpoints(segments)];
        expect(marks.length).toBeLessThanOrEqual(3);
        expect(marks).toContain(segments.length - 1);
        expect(
          marks.some((mark) => mark >= tailBefore && mark - tailBefore < cacheLookBackParts),
        ).toBe(true);
      });
    }),
    runs(300),
  );
});
