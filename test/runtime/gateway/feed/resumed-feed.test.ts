import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { Listener, World } from './feed-world.ts';

// proves: gateway.one-read
test('a subscriber that reconnects reads the buffer of the bus once, from its turn on', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  for (const each of ['earlier', 'open']) {
    await world.say();
    await world.play({ do: 'delta', stream: 1, late: false });
    if (each === 'earlier') await world.play({ do: 'close' });
  }
  const first = new Listener();
  await first.during(world, () => first.hasHeardSome(({ delta, seq }) => !!delta && seq > 3));
  const reads: number[] = [];
  const frames = bus.frames.bind(bus);
  bus.frames = (key, from, waits) => {
    reads.push(from);
    return frames(key, from, waits);
  };
  const resumed = new Listener(first.heard);
  await resumed.during(world, async () => {
    await world.play({ do: 'delta', stream: 1, late: false });
    await world.play({ do: 'close' });
    await resumed.hasHeard(world);
  });
  // The first turn has three blocks.
  expect(reads).toEqual([3]);
  expect(resumed.heard.filter(({ delta }) => delta)).toHaveLength(3);
});
