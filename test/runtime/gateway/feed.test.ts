import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../runtime/adapters/memory/bus.ts';
import type { WireEnvelope } from '../../../runtime/client/envelope.ts';
import { runs } from '../../tools/runs.ts';
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant('close') }) },
);
const lateStep = step.map((each) => (each.do === 'delta' ? { ...each, late: true } : each));

function key({ cursor: _, ...envelope }: WireEnvelope): string {
  return JSON.stringify(envelope);
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
test('however often a subscriber leaves and comes back, it hears what one who stayed hears', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.array(fc.nat(25), { maxLength: 4 }),
      fc.record({ slow: fc.boolean(), keep: fc.nat(100) }),
      async (steps, cuts, options) => {
        const { whole, parts, afresh, resumed } = await run(steps, cuts, options);
        expect(parts.map(key)).toEqual(whole.map(key));
        expect(afresh.map(key)).toEqual(whole.map(key));
        expect(resumed.map(key)).toEqual(whole.map(key));
      },
    ),
    runs(40),
  );
});

test('frames that come late are told once, after the block they name, and never after their block', async () => {
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

test('a subscriber who does not read loses nothing, however much comes meanwhile', async () => {
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
  expect(slow.heard.map(key)).toEqual(afresh.heard.map(key));
});

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
