import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bus, DeltaFrame, Note } from '../../runtime/engine/ports/bus.ts';
import {
  type ConversationKey,
  toConversationKey,
  toSeq,
  toStreamName,
  toTurnId,
} from '../../runtime/timeline/ids.ts';
import { listChangesContract } from './list-changes.ts';

const signal = new AbortController().signal;

/** Two ends of one bus: two processes where there can be two, else the same object twice. */
export type BusUnderTest = AsyncDisposable & { readonly near: Bus; readonly far: Bus };

export function frame(over: Partial<DeltaFrame> = {}): DeltaFrame {
  return {
    kind: 'delta',
    after: toSeq(1),
    fence: 1,
    number: 1,
    turn: toTurnId('turn_a'),
    round: 1,
    channel: 'thinking',
    instance: 0,
    stream: toStreamName('turn_a.1.thinking.0'),
    marker: 'thinking',
    text: 'hm',
    offset: 0,
    completed: false,
    ...over,
  };
}

export const framed = (over: Partial<DeltaFrame> = {}): Note => ({
  kind: 'frame',
  frame: frame(over),
});

let lastConversation = 0;

/** A conversation that no other test uses. */
export function newConversation(): ConversationKey {
  lastConversation += 1;
  return toConversationKey(lastConversation);
}

/** What every Bus promises while nothing fails. */
export function busContract(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} keeps the bus's promises`, () => {
    let bus: BusUnderTest;
    beforeAll(async () => {
      bus = await open();
    });
    afterAll(async () => {
      await bus[Symbol.asyncDispose]();
    });

    listChangesContract(() => bus);

    // proves: erase.frames
    test('the frames of a conversation are dropped, and no others', async () => {
      const [erased, other] = [newConversation(), newConversation()];
      for (const each of [erased, other]) bus.near.publish(each, [framed()]);
      await bus.near.flush({ signal });
      expect(await bus.far.frames(erased, toSeq(0), { signal })).toHaveLength(1);
      expect(await bus.far.forget(erased, { signal })).toBe(true);
      expect(await bus.near.frames(erased, toSeq(0), { signal })).toEqual([]);
      expect(await bus.near.frames(other, toSeq(0), { signal })).toHaveLength(1);
      expect(await bus.near.forget(erased, { signal })).toBe(true);
    });

    test('that a conversation is erased reaches every subscriber, near and far', async () => {
      const conversation = newConversation();
      const heard = [bus.near, bus.far].map((each) =>
        hear<Note>((listener) => each.subscribe(conversation, listener)),
      );
      await bus.far.flush({ signal });
      await bus.near.flush({ signal });
      bus.near.publish(conversation, [{ kind: 'erased' }]);
      for (const { until } of heard) {
        expect(await until((notes) => notes.length > 0)).toEqual([{ kind: 'erased' }]);
      }
    });

    test('a wake reaches every worker, near and far', async () => {
      const conversation = newConversation();
      const heard = [bus.near, bus.far].map((each) =>
        hear<number>((listener) => each.onWake(listener)),
      );
      await bus.far.flush({ signal });
      bus.near.wake(conversation);
      for (const { until } of heard) {
        expect(await until((values) => values.includes(conversation))).toContain(conversation);
      }
    });

    test('a steer reaches those who listen to its conversation, and no others', async () => {
      const [conversation, other] = [newConversation(), newConversation()];
      const mine = hear<number>((listener) => bus.far.onSteer(conversation, listener));
      const others = hear<number>((listener) => bus.far.onSteer(other, listener));
      await bus.far.flush({ signal });
      bus.near.steer(conversation, toSeq(7));
      bus.near.steer(other, toSeq(8));
      expect(await mine.until((values) => values.length > 0)).toEqual([7]);
      expect(await others.until((values) => values.length > 0)).toEqual([8]);
    });

    // proves: bus.one-call-per-message
    test('an announced event reaches followers, workers and the running step in one call, near and far', async () => {
      const [steered, woken, quiet] = [newConversation(), newConversation(), newConversation()];
      const mine = [steered, woken, quiet];
      const heard = [bus.near, bus.far].map((each) =>
        hear<string>((listener) => {
          const all = [each.onWake((key) => mine.includes(key) && listener(`wake ${key}`))];
          for (const key of mine) {
            all.push(each.onSteer(key, (seq) => listener(`steer ${key} ${seq}`)));
            all.push(each.subscribe(key, (note) => listener(`${note.kind} ${key}`)));
          }
          return {
            [Symbol.dispose]: () => {
              for (const one of all) one[Symbol.dispose]();
            },
          };
        }),
      );
      await bus.far.flush({ signal });
      await bus.near.flush({ signal });
      bus.near.publish(steered, [framed()]);
      bus.near.announce(steered, { head: toSeq(2), wake: true, steer: true });
      bus.near.announce(woken, { head: toSeq(3), wake: true });
      bus.near.announce(quiet, { head: toSeq(4) });
      const wanted = [
        ...[`frame ${steered}`, `head ${steered}`, `wake ${steered}`, `steer ${steered} 2`],
        ...[`head ${woken}`, `wake ${woken}`, `head ${quiet}`],
      ].toSorted();
      for (const { values, until, subscription } of heard) {
        await until(({ length }) => length >= wanted.length);
        expect(values.toSorted()).toEqual(wanted);
        expect(values.indexOf(`frame ${steered}`)).toBeLessThan(values.indexOf(`head ${steered}`));
        subscription[Symbol.dispose]();
      }
      expect(await bus.far.frames(steered, toSeq(0), { signal })).toEqual([frame()]);
    });

    test('notes arrive whole and in the order they were published', async () => {
      const conversation = newConversation();
      const heard = hear<Note>((listener) => bus.far.subscribe(conversation, listener));
      await bus.far.flush({ signal });
      const text = 'na\u00efve 👩‍👧 \ud83d "\\\u2028\0';
      const artifact = { name: 'chart', mime: 'text/html' };
      const live: Note = {
        kind: 'frame',
        frame: {
          kind: 'live',
          after: toSeq(2),
          fence: 1,
          number: 2,
          turn: toTurnId('t'),
          round: 1,
          type: 'x',
          data: [1],
        },
      };
      const notes: Note[] = [framed({ text, artifact }), live, { kind: 'head', head: toSeq(3) }];
      bus.near.publish(conversation, notes.slice(0, 1));
      bus.near.publish(conversation, notes.slice(1));
      expect(await heard.until((values) => values.length >= 3)).toEqual(notes);
      expect(await bus.far.frames(conversation, toSeq(0), { signal })).toEqual([
        frame({ text, artifact }),
        live.frame,
      ]);
    });

    // proves: live.ticks
    test('deltas of one moment that follow each other arrive and are kept as one frame', async () => {
      const conversation = newConversation();
      const heard = [bus.near, bus.far].map((each) =>
        hear<Note>((listener) => each.subscribe(conversation, listener)),
      );
      await bus.far.flush({ signal });
      await bus.near.flush({ signal });
      bus.near.publish(conversation, [framed({ number: 1, text: 'one ', offset: 0 })]);
      bus.near.publish(conversation, [framed({ number: 2, text: 'two ', offset: 4 })]);
      bus.near.publish(conversation, [framed({ number: 3, offset: 8, completed: true })]);
      const other = { stream: toStreamName('turn_a.1.answer.0'), text: 'x' };
      bus.near.publish(conversation, [framed({ number: 4, ...other })]);
      bus.near.publish(conversation, [{ kind: 'head', head: toSeq(2) }]);
      bus.near.publish(conversation, [framed({ number: 5, after: toSeq(2), ...other, offset: 1 })]);
      const whole = framed({ number: 3, text: 'one two hm', offset: 0, completed: true });
      const wanted: Note[] = [
        whole,
        framed({ number: 4, ...other }),
        { kind: 'head', head: toSeq(2) },
        framed({ number: 5, after: toSeq(2), ...other, offset: 1 }),
      ];
      for (const { until } of heard) {
        expect(await until((notes) => notes.length >= wanted.length)).toEqual(wanted);
      }
      const kept = await bus.far.frames(conversation, toSeq(0), { signal });
      expect(kept.map(({ number }) => number)).toEqual([3, 4, 5]);
    });

    test('who stopped listening hears nothing more, and the others still do', async () => {
      const conversation = newConversation();
      const gone = hear<Note>((listener) => bus.far.subscribe(conversation, listener));
      const stays = hear<Note>((listener) => bus.far.subscribe(conversation, listener));
      await bus.far.flush({ signal });
      gone.subscription[Symbol.dispose]();
      gone.subscription[Symbol.dispose]();
      bus.near.publish(conversation, [{ kind: 'head', head: toSeq(1) }]);
      expect(await stays.until((values) => values.length > 0)).toEqual([{ kind: 'head', head: 1 }]);
      expect(gone.values).toEqual([]);
    });

    test('buffered frames are read from a block on, in order', async () => {
      const conversation = newConversation();
      const late = framed({ after: toSeq(2), fence: 1, number: 9 });
      const taken = framed({ after: toSeq(2), fence: 2, number: 1 });
      bus.near.publish(conversation, [taken, late, framed({ after: toSeq(1) })]);
      await bus.near.flush({ signal });
      const places = async (from: number) => {
        const frames = await bus.far.frames(conversation, toSeq(from), { signal });
        return frames.map(({ after, fence, number }) => [after, fence, number]);
      };
      expect(await places(0)).toEqual([
        [1, 1, 1],
        [2, 1, 9],
        [2, 2, 1],
      ]);
      expect(await places(2)).toEqual([
        [2, 1, 9],
        [2, 2, 1],
      ]);
      expect(await places(3)).toEqual([]);
      expect(await bus.far.frames(newConversation(), toSeq(0), { signal })).toEqual([]);
    });

    test('who subscribes and then reads the buffer misses nothing and tells double by its number', async () => {
      const conversation = newConversation();
      const count = 200;
      const publishing = (async () => {
        for (let number = 1; number <= count; number += 1) {
          bus.near.publish(conversation, [framed({ number })]);
          if (number % 20 === 0) await bus.near.flush({ signal });
        }
      })();
      const seen = new Set<number>();
      const heard = hear<Note>((listener) => bus.far.subscribe(conversation, listener));
      for (const { number } of await bus.far.frames(conversation, toSeq(0), { signal }))
        seen.add(number);
      await publishing;
      const all = (values: readonly Note[]) => {
        for (const note of values) if (note.kind === 'frame') seen.add(note.frame.number);
        return seen.size === count;
      };
      await heard.until(all);
      expect(seen.size).toBe(count);
    });

    test('a buffer is bounded, the oldest turns go first', async () => {
      const conversation = newConversation();
      const text = 'x'.repeat(200);
      for (let number = 1; number <= 24_000; number += 1) {
        const turn = toTurnId(`turn_${Math.ceil(number / 100)}`);
        bus.near.publish(conversation, [framed({ number, turn, text })]);
        if (number % 1_000 === 0) await bus.near.flush({ signal });
      }
      const kept = await bus.far.frames(conversation, toSeq(0), { signal });
      expect(kept.length).toBeGreaterThan(500);
      expect(kept.length).toBeLessThan(24_000);
      expect(kept.at(-1)?.number).toBe(24_000);
      const first = kept[0]?.number ?? 0;
      expect(kept.map(({ number }) => number)).toEqual(kept.map((_, index) => first + index));
    });
  });
}

/** Collects what is heard, and waits until it is enough. */
export function hear<T>(listen: (listener: (value: T) => void) => Disposable) {
  const values: T[] = [];
  let check = () => {};
  const subscription = listen((value) => {
    values.push(value);
    check();
  });
  const until = (enough: (values: readonly T[]) => boolean) =>
    new Promise<readonly T[]>((resolve) => {
      check = () => {
        if (enough(values)) resolve(values);
      };
      check();
    });
  return { values, subscription, until };
}
