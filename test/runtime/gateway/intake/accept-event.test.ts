import { expect, test } from 'vitest';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import type { Bus } from '../../../../runtime/engine/ports/bus.ts';
import { ask, openStage } from '../stage.ts';

const sending: readonly PropertyKey[] = ['announce', 'publish', 'wake', 'steer'];

/** A bus, and what is sent over it. A call that the bus makes itself does not count. */
function openHeardBus() {
  const bus = openMemoryBus();
  const sent: unknown[] = [];
  const heard: Bus = new Proxy(bus, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        if (sending.includes(name)) sent.push([name, args[1]]);
        return Reflect.apply(member, target, args);
      };
    },
  });
  return { bus: heard, sent, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() };
}

// proves: bus.one-call-per-message
test('an accepted message makes one call to the bus, a repeated one none', async () => {
  await using heard = openHeardBus();
  await using stage = await openStage({ bus: heard.bus });
  const socket = stage.connect();
  const say = (message_id: string, message: Record<string, unknown>) =>
    ask(socket, 'chat_message', { conversation_id: 'conv_one', message_id, ...message });
  const acks = [
    await say('m1', { text: 'What is 2 + 3?' }),
    await say('m2', { text: 'and 3 + 4?', kind: 'followup' }),
    await say('m3', { text: 'Only the sum.', kind: 'steer' }),
    await say('m1', { text: 'What is 2 + 3?' }),
  ];
  expect(acks.map(({ status }) => status)).toEqual(['started', 'queued', 'queued', 'duplicate']);
  const [first, second, third] = acks.map((ack) => (ack.ok ? ack.seq : undefined));
  expect(heard.sent).toEqual([
    ['announce', { head: first, wake: true, steer: false }],
    ['announce', { head: second, wake: true, steer: false }],
    ['announce', { head: third, wake: true, steer: true }],
  ]);
});
