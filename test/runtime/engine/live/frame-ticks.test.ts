import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { tickMsMax } from '../../../../runtime/engine/limits.ts';
import { FrameTicks, type TickFrames } from '../../../../runtime/engine/live/frame-ticks.ts';
import type { Frame } from '../../../../runtime/engine/ports/bus.ts';
import { toConversationKey, toStreamName } from '../../../../runtime/timeline/ids.ts';
import { frame } from '../../../contract/bus.ts';

// proves: live.ticks

/** Frames of some streams as an owner publishes them, each with the next number. */
const published = fc
  .array(fc.record({ stream: fc.nat(2), text: fc.string({ maxLength: 4 }), flushes: fc.boolean() }))
  .map((deltas) => {
    const offsets = new Map<number, number>();
    return deltas.map(({ stream, text, flushes }, at) => {
      const offset = offsets.get(stream) ?? 0;
      offsets.set(stream, offset + text.length);
      const name = toStreamName(`turn_a.1.answer.${stream}`);
      return { flushes, frame: frame({ stream: name, text, offset, number: at + 1 }) };
    });
  });

test('whatever is collected, each stream has its whole text once, and numbers only grow', () => {
  fc.assert(
    fc.property(published, (deltas) => {
      const sent: Frame[] = [];
      const key = toConversationKey(1);
      using ticks = new FrameTicks((batch) => sent.push(...(batch.get(key) ?? [])));
      for (const each of deltas) {
        ticks.add(key, [each.frame]);
        if (each.flushes) ticks.flush();
      }
      ticks.flush();
      expect(textsOf(sent)).toEqual(textsOf(deltas.map((each) => each.frame)));
      const numbers = sent.map(({ number }) => number);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers.at(-1)).toBe(deltas.at(-1)?.frame.number);
    }),
  );
});

test('a few frames are sent at the end of the turn of the event loop, many within one tick and together', () => {
  vi.useFakeTimers({
    toFake: ['setImmediate', 'clearImmediate', 'setTimeout', 'clearTimeout', 'performance'],
  });
  try {
    const sent: TickFrames[] = [];
    using ticks = new FrameTicks((batch) => sent.push(batch));
    ticks.add(toConversationKey(1), [frame()]);
    vi.advanceTimersByTime(0);
    expect(sent).toHaveLength(1);
    const many = 200;
    for (let key = 1; key <= many; key += 1) ticks.add(toConversationKey(key), [frame()]);
    vi.advanceTimersByTime(1);
    for (let key = 1; key <= many; key += 1)
      ticks.add(toConversationKey(key), [frame({ number: 2 })]);
    const before = sent.length;
    vi.advanceTimersByTime(tickMsMax);
    expect(sent.slice(before).map(({ size }) => size)).toEqual([many]);
  } finally {
    vi.useRealTimers();
  }
});

function textsOf(frames: readonly Frame[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const each of frames) {
    if (each.kind !== 'delta') continue;
    const { stream, offset, text } = each;
    const known = texts.get(stream) ?? '';
    expect(offset).toBe(known.length);
    texts.set(stream, known + text);
  }
  return texts;
}
