import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import { parseCursor } from '../../../../runtime/gateway/feed/cursor.ts';
import { lastSent, readHistory, startOfTail } from '../../../../runtime/gateway/feed/history.ts';
import { runs } from '../../../tools/runs.ts';
import { Listener, type Step, World } from './feed-world.ts';

const { signal } = new AbortController();

const stream = fc.integer({ min: 1, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('delta'), stream, late: fc.boolean() }),
  fc.record({ do: fc.constant('finish'), stream }),
  fc.record({ do: fc.constantFrom('block', 'internal', 'followup', 'close') }),
  fc.record({ do: fc.constant('roundclose'), outcome: fc.constantFrom('interrupted', 'acted') }),
);

function isOfBlock({ delta, type }: WireEnvelope): boolean {
  return delta === undefined && type !== 'stream.reset';
}

function texts(envelopes: readonly WireEnvelope[]): readonly string[] {
  return envelopes.filter(isOfBlock).map(({ cursor: _, ...each }) => JSON.stringify(each));
}

// proves: gateway.replay
test('the pages before any cursor and what follows it are the whole, and the last block that is sent is known', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.record({ turns: fc.integer({ min: 1, max: 3 }), cut: fc.nat(100) }),
      async (steps, { turns, cut }) => {
        await using bus = openMemoryBus();
        const world = new World(bus);
        await world.say();
        for (const each of steps) await world.play(each);
        const place = { store: world.store, signal };
        const before = await world.row();
        const last = await lastSent(before, place);
        if (before.openTurn !== undefined) await world.play({ do: 'close' });
        const { heard } = await listened(world);
        const sent = heard.filter((each) => each.seq <= before.head && isOfBlock(each));
        expect(last).toBe(sent.at(-1)?.seq);

        const index = cut % heard.length;
        let to = parseCursor('conv_a', heard[index]?.cursor ?? '');
        let known = texts(heard.slice(index + 1));
        while (to && to.seq > 0) {
          const row = await world.row();
          const from = await startOfTail(row, { turns, until: to.seq }, place);
          known = [...texts(await readHistory(row, { from, to }, place)), ...known];
          to = from;
        }
        expect(known).toEqual(texts(heard));
      },
    ),
    runs(100),
  );
});

async function listened(world: World): Promise<Listener> {
  const whole = new Listener();
  await whole.toEnd(world);
  return whole;
}
