import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheLookBackParts } from '../../../../runtime/timeline/limits.ts';
import { checkpoints, preTail } from '../../../../runtime/timeline/render/checkpoints.ts';
import type { Segment } from '../../../../runtime/timeline/render/segments.ts';
import { runs } from '../../../tools/runs.ts';

// proves: timeline.look-back

/** Turns as the numbers of parts: of what people sent, then of each round and of what came in while it ran. */
const turns = fc.array(
  fc.record({
    sent: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 20, max: 70 })),
    rounds: fc.array(
      fc.record({
        parts: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 50 })),
        late: fc.nat(2),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);
type Round = { readonly parts: number; readonly late: number };
type Turn = { readonly sent: number; readonly rounds: readonly Round[] };

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
      spans: [],
      ...more,
    });
    for (let n = 0; n < sent; n += 1) segments.push(part({}));
    rounds.forEach(({ parts, late }) => {
      made.push([...segments]);
      for (let n = 0; n < parts; n += 1) {
        segments.push(part(n === 0 ? { opensRound: true } : {}));
      }
      for (let n = 0; n < late; n += 1) segments.push(part({}));
    });
  });
  return made;
}

test('the last entry of the previous request is always within the look-back of a mark', () => {
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

test('the pre-tail mark is at the last mark of an earlier request, where an entry exists', () => {
  fc.assert(
    fc.property(turns, (all) => {
      const made = requests(all);
      made.forEach((segments, index) => {
        const tails = made.slice(0, index).map(({ length }) => length - 1);
        const rounds = tails.length;
        expect(preTail(segments)).toBe(rounds < 2 ? undefined : tails.at(-Math.min(4, rounds - 1)));
      });
    }),
    runs(300),
  );
});
