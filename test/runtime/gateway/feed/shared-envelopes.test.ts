import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import type { WireEnvelope } from '../../../../runtime/client/protocol/envelope.ts';
import { toPacket } from '../../../../runtime/gateway/socket/event-packet.ts';
import { Listener, World } from './feed-world.ts';

// proves: live.shared
test('subscribers at the same position share the envelope of a frame, and the text of its packet', async () => {
  await using bus = openMemoryBus();
  const world = new World(bus);
  await world.say();
  const [one, other] = [new Listener(), new Listener()];
  const isDelta = ({ delta }: WireEnvelope) => delta !== undefined;
  await one.during(world, () =>
    other.during(world, async () => {
      await world.play({ do: 'delta', stream: 1, late: false });
      for (const each of [one, other]) await each.hasHeardSome(isDelta);
    }),
  );
  const [mine, its] = [one, other].map(({ heard }) => heard.find(isDelta));
  if (!mine) throw new Error('no delta');
  expect(its).toBe(mine);
  expect(toPacket(mine)).toBe(toPacket(its ?? mine));
  expect(toPacket(mine).text).toBe(`2${JSON.stringify(['chat_delta', mine])}`);
});
