import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inOrder, parseFrames, parseNotes } from '../../../../runtime/engine/ports/frames.ts';
import { toSeq } from '../../../../runtime/timeline/ids.ts';
import { frame } from '../../../contract/bus.ts';

test('frames are parsed unchanged', () => {
  const frames = [frame({ artifact: { name: 'a', title: 'b' } }), frame({ text: '\0\ud83d' })];
  expect(parseFrames(JSON.stringify(frames))).toEqual(frames);
});

test('torn or unknown frames are skipped, and the rest is kept', () => {
  const good = frame();
  const { text: _, ...shapeless } = good;
  expect(parseFrames(JSON.stringify([shapeless, good, null, 5]))).toEqual([good]);
  const notes = [{ kind: 'head', head: 3 }, { kind: 'head' }, { kind: 'frame', frame: shapeless }];
  expect(parseNotes(notes)).toEqual([{ kind: 'head', head: 3 }]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseFrames(text)).toEqual([]);
    }),
  );
});

test('frames are in the order of block, fence and number', () => {
  const places = fc.record({ after: fc.nat(3).map(toSeq), fence: fc.nat(3), number: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(places), (all) => {
      const sorted = inOrder(all.map(frame));
      const keys = sorted.map(({ after, fence, number }) => after * 100 + fence * 10 + number);
      expect(keys).toEqual(keys.toSorted((a, b) => a - b));
    }),
  );
});
