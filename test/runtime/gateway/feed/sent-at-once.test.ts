import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { Listener, World } from './feed-world.ts';

const key = toConversationKey(1);
const delta = { do: 'delta', stream: 1, late: false } as const;
const isDelta = ({ delta }: WireEnvelope) => delta !== undefined;
const deltasOf = ({ heard }: Listener) => heard.filter(isDelta).length;

/** How many deltas the listener has when the bus has reported the second, and at the end. */
async function afterSecondDelta(listener: Listener): Promise<readonly number[]> {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const counts: number[] = [];
  await listener.during(world, async () => {
    await world.play(delta);
    await listener.hasHeardSome(isDelta);
    // By now the feed has looked for more, and waits.
    await setImmediate();
    // The bus notifies its listeners in the order in which they came.
    using _later = bus.subscribe(key, () => counts.push(deltasOf(listener)));
    await world.play(delta);
    await world.play({ do: 'close' });
    await listener.hasHeard(world);
  });
  return [counts[0] ?? 0, deltasOf(listener)];
}

test('a subscriber with room gets a delta while the bus reports it', async () => {
  expect(await afterSecondDelta(new Listener())).toEqual([2, 2]);
});

test('a subscriber that does not say whether it has room gets a delta later, once', async () => {
  const slow = new Listener([], { ready: () => Promise.resolve() });
  expect(await afterSecondDelta(slow)).toEqual([1, 2]);
});
