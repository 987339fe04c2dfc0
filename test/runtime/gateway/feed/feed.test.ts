import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import { afterBlock, beginning } from '../../../../runtime/gateway/feed/cursor.ts';
import { openFeed, type Sink } from '../../../../runtime/gateway/feed/feed.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { toConversationKey, toSeq } from '../../../../runtime/timeline/ids.ts';
import { runs } from '../../../tools/runs.ts';
import { Listener, type Step, World } from './feed-world.ts';

const stream = fc.integer({ min: 1, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('delta'), stream, late: fc.constant(false) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish'), stream }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('block') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('internal') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('followup') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('takeover') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reset') }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('roundclose'),
      outcome: fc.constantFrom('interrupted', 'acted'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close') }) },
);
const lateStep = step.map((each) => (each.do === 'delta' ? { ...each, late: true } : each));

function key({ cursor: _, ...envelope }: WireEnvelope): string {
  return JSON.stringify(envelope);
}

/** Without pieces, and resets, of streams whose block comes later: a client that connects after it receives the block alone. */
function essence(heard: readonly WireEnvelope[]): readonly string[] {
  const streamOf = ({ data, delta }: WireEnvelope) => delta?.stream ?? data?.['stream'];
  const isPiece = ({ type, delta }: WireEnvelope) => delta !== undefined || type === 'stream.reset';
  const made = new Set(heard.filter((one) => !isPiece(one)).map(streamOf));
  return heard.filter((one) => !isPiece(one) || !made.has(streamOf(one))).map(key);
}

/** `keep`: how much of the whole a last subscriber has heard when it comes with its cursor. */
async function run(
  steps: readonly Step[],
  cuts: readonly number[],
  { slow = false, keep = 0 } = {},
) {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const whole = new Listener();
  const parts = new Listener([], slow ? { ready: () => new Promise(setImmediate) } : {});
  const cutSet = new Set(cuts);
  await whole.during(world, async () => {
    let from = 0;
    for (const to of [...[...cutSet].sort((a, b) => a - b), steps.length]) {
      const slice = steps.slice(from, Math.max(from, to));
      from = Math.max(from, to);
      await parts.during(world, async () => {
        for (const each of slice) await world.play(each);
      });
    }
    if ((await world.row()).openTurn !== undefined) await world.play({ do: 'close' });
  });
  await whole.toEnd(world);
  await parts.toEnd(world);
  const afresh = new Listener();
  await afresh.toEnd(world);
  const resumed = new Listener(whole.heard.slice(0, 1 + (keep % whole.heard.length)));
  await resumed.toEnd(world);
  return { whole: whole.heard, parts: parts.heard, afresh: afresh.heard, resumed: resumed.heard };
}

// proves: gateway.replay
test('a subscriber that reconnects receives the same envelopes as one that stayed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(fc.nat(25), { maxLength: 4 }),
      fc.record({ slow: fc.boolean(), keep: fc.nat(100) }),
      async (steps, cuts, options) => {
        const { whole, parts, afresh, resumed } = await run(steps, cuts, options);
        expect(essence(parts)).toEqual(essence(whole));
        expect(essence(afresh)).toEqual(essence(whole));
        expect(essence(resumed)).toEqual(essence(whole));
        // Nothing is sent in pieces that could be sent whole.
        expect(afresh.map(key)).toEqual(essence(afresh));
      },
    ),
    runs(40),
  );
});

test('late frames are sent once, after the block they name, and never after their own block', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(lateStep, { maxLength: 25 }),
      fc.array(fc.nat(25), { maxLength: 4 }),
      async (steps, cuts) => {
        const { whole, parts } = await run(steps, cuts);
        for (const heard of [whole, parts]) expectOrder(heard);
        const blocks = (heard: readonly WireEnvelope[]) =>
          heard.filter(({ delta, type }) => !delta && type !== 'stream.reset').map(key);
        expect(blocks(parts)).toEqual(blocks(whole));
      },
    ),
    runs(30),
  );
});

test('a subscriber that does not read loses nothing, however much is queued', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const gate = new Gate();
  const slow = new Listener([], { ready: () => gate.open });
  await slow.during(world, async () => {
    for (let n = 0; n < 2_100; n += 1)
      await world.play({ do: 'delta', stream: 1 + (n % 3), late: false });
    await world.play({ do: 'close' });
    gate.release();
    await slow.hasHeard(world);
  });
  const afresh = new Listener();
  await afresh.toEnd(world);
  expect(slow.heard.filter(({ delta }) => delta)).toHaveLength(2_100);
  expect(essence(slow.heard)).toEqual(essence(afresh.heard));
});

// proves: streams.end
test.each(['interrupted', 'acted'] as const)(
  'the close of a round (%s) resets what its owners began and no block has finished, for any owner',
  async (outcome) => {
    await using bus = openMemoryBus();
    const world = new World(bus);
    const delta = (stream: number): Step => ({ do: 'delta', stream, late: false });
    await world.say();
    // Two owners begin to speak and are lost; the third says nothing before it closes the round.
    for (const each of [delta(1), { do: 'takeover' } as const, delta(1), delta(2)])
      await world.play(each);
    for (const each of ['takeover', 'roundclose', 'close'] as const)
      await world.play(each === 'roundclose' ? { do: each, outcome } : { do: each });
    const listener = new Listener();
    await listener.toEnd(world);
    const ended = listener.heard.flatMap(({ type, data }) =>
      type === 'stream.reset' ? [data?.['stream']] : [],
    );
    const begun = listener.heard.flatMap(({ delta: said }) => (said ? [said.stream] : []));
    expect(new Set(begun).size).toBe(3);
    expect(ended.toSorted()).toEqual(begun.toSorted());
    // Cut anywhere, also between the resets, a subscriber hears the rest of them.
    for (let keep = 1; keep < listener.heard.length; keep += 1) {
      const resumed = new Listener(listener.heard.slice(0, keep));
      await resumed.toEnd(world);
      expect(resumed.heard.map(key)).toEqual(listener.heard.map(key));
    }
  },
);

class Gate {
  release: () => void = () => undefined;
  readonly open = new Promise<void>((resolve) => {
    this.release = resolve;
  });
}

function expectOrder(heard: readonly WireEnvelope[]): void {
  const seqs = heard.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(new Set(heard.map(({ cursor }) => cursor)).size).toBe(heard.length);
  const finished = new Set<unknown>();
  for (const { type, data, delta } of heard) {
    if (type === 'react.thinking') finished.add(data?.['stream']);
    if (delta) expect(finished).not.toContain(delta.stream);
  }
}

// proves: gateway.no-lost-wake-up
test('a note at any moment is handled without waiting for the next poll', async () => {
  for (let ticks = 0; ticks < 60; ticks += 1) {
    await using bus = openMemoryBus();
    const world = new World(bus);
    await world.say();
    // Nothing wakes a feed on this clock: it rests until a note comes.
    const clock = manualClock('2030-01-01T00:00:00.000Z');
    const heard: WireEnvelope[] = [];
    let toldNews: () => void = () => undefined;
    const news = new Promise<void>((resolve) => {
      toldNews = resolve;
    });
    let isSaid = false;
    const say = async () => {
      await world.sayQuietly();
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      bus.publish(toConversationKey(1), [{ kind: 'head', head: toSeq(3) }]);
    };
    const sink: Sink = {
      send: (envelope) => {
        heard.push(envelope);
        if (envelope.seq === 3) toldNews();
        if (isSaid || envelope.seq < 2) return;
        isSaid = true;
        void say();
      },
      ready: () => Promise.resolve(),
      end: () => undefined,
    };
    const row = await world.row();
    const deps = { store: world.store, bus, clock, log: silentLog };
    await using _feed = openFeed(deps, row, { start: beginning, sink });
    await news;
    expect(heard.at(-1)?.seq).toBe(3);
  }
});

// proves: gateway.no-lost-wake-up
test('events before a subscription is active are sent without waiting for the next poll', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const row = await world.row();
  const flush = bus.flush.bind(bus);
  bus.flush = async (waits) => {
    // As on a bus in another process, which has handed out nothing until here.
    await world.sayQuietly();
    await flush(waits);
  };
  const clock = manualClock('2030-01-01T00:00:00.000Z');
  const deps = { store: world.store, bus, clock, log: silentLog };
  let hear: (seq: number) => void = () => undefined;
  const heard = new Promise<number>((resolve) => {
    hear = resolve;
  });
  const sink: Sink = {
    send: ({ seq }) => hear(seq),
    ready: () => Promise.resolve(),
    end: () => undefined,
  };
  const start = afterBlock(row.head, row.windowSeq);
  await using _feed = openFeed(deps, row, { start, sink });
  expect(await heard).toBe(row.head + 1);
});

// proves: gateway.failed-feed
test('a feed that fails permanently reports it, ends its sink and stops listening', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const row = await world.row();
  const store = { ...world.store, read: () => Promise.reject(new Error('no such column')) };
  const heard: WireEnvelope[] = [];
  await new Promise<void>((resolve) => {
    const sink: Sink = {
      send: (envelope) => void heard.push(envelope),
      ready: () => Promise.resolve(),
      end: resolve,
    };
    const deps = { store, bus, clock: systemClock, log: silentLog };
    openFeed(deps, row, { start: beginning, sink });
  });
  expect(heard).toMatchObject([
    {
      type: 'chat.service',
      event: { step: 'subscription', status: 'error' },
      data: { ended: true },
    },
  ]);
  bus.publish(toConversationKey(1), [{ kind: 'head', head: toSeq(9) }]);
  expect(heard).toHaveLength(1);
});

test('a stream that was reset may start again, and later subscribers receive only the new one', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const there = new Listener();
  await there.during(world, async () => {
    await world.play({ do: 'delta', stream: 1, late: false });
    await world.retry();
    await world.play({ do: 'delta', stream: 1, late: false });
    await there.hasHeardSome(({ type }) => type === 'stream.reset');
    await world.play({ do: 'close' });
    await there.hasHeard(world);
  });
  expect(
    there.heard.flatMap(({ type, delta }) => (delta || type === 'stream.reset' ? [type] : [])),
  ).toEqual(['chat.delta', 'stream.reset', 'chat.delta']);
});
