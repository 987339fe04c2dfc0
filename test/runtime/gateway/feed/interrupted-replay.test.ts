import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { Listener, World } from './feed-world.ts';

// proves: gateway.replay
test('a subscriber that resumes at the notice of an interruption receives nothing twice', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const whole = new Listener();
  await whole.during(world, async () => {
    await world.play({ do: 'block' });
    await world.play({ do: 'delta', stream: 1, late: false });
    await whole.hasHeardSome(({ type }) => type === 'chat.delta');
  });
  const { read } = world.store;
  world.store.read = () => Promise.reject(new Fault('STORE_UNAVAILABLE', { because: 'a restart' }));
  const resumed = new Listener(whole.heard);
  const isNotice = ({ type }: { readonly type: string }) => type === 'chat.service';
  await resumed.during(world, () => resumed.hasHeardSome(isNotice));
  world.store.read = read;
  await world.play({ do: 'close' });
  await resumed.toEnd(world);
  const seqs = resumed.heard.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const sent = resumed.heard.filter((each) => !isNotice(each)).map(({ cursor }) => cursor);
  expect(new Set(sent).size).toBe(sent.length);
});
