import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRedisBus } from '../../runtime/adapters/redis/bus.ts';
import type { Log } from '../../runtime/base/log.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { toConversationKey, toSeq } from '../../runtime/timeline/ids.ts';
import { type Service, startRedis } from '../tools/services/services.ts';
import { busContract, frame, framed, hear, newConversation } from './bus.ts';

const signal = new AbortController().signal;
let server: Service;

beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

busContract('redis', async () => {
  const near = await openRedisBus({ url: server.url });
  const far = await openRedisBus({ url: server.url });
  return {
    near,
    far,
    [Symbol.asyncDispose]: async () => {
      await near[Symbol.asyncDispose]();
      await far[Symbol.asyncDispose]();
    },
  };
});

test.each([
  ['prefixes', { prefix: 'one' }, { prefix: 'two' }],
  ['databases of one server', { database: '/1' }, { database: '/2' }],
])('programs with different %s do not hear each other', async (_, first, second) => {
  const conversation = newConversation();
  const openIn = ({ database = '', ...options }: { database?: string; prefix?: string }) =>
    openRedisBus({ url: `${server.url}${database}`, ...options });
  await using one = await openIn(first);
  await using two = await openIn(second);
  const heard = hear<number>((listener) => two.onWake(listener));
  await two.flush({ signal });
  one.wake(conversation);
  one.publish(conversation, [framed()]);
  await one.flush({ signal });
  two.wake(toConversationKey(99));
  expect(await heard.until((values) => values.length > 0)).toEqual([99]);
  expect(await two.frames(conversation, toSeq(0), { signal })).toEqual([]);
});

test('while Redis is away nothing throws and near listeners are notified; when it is back, far ones are, too', async () => {
  const conversation = newConversation();
  const { log, said } = listeningLog();
  await using near = await openRedisBus({ url: server.url, log });
  await using far = await openRedisBus({ url: server.url });
  const heardNear = hear<number>((listener) => near.onWake(listener));
  const heardFar = hear<number>((listener) => far.onWake(listener));
  await far.flush({ signal });

  const lost = said('redis connection lost; signals and frames may be late');
  await server.kill();
  await lost;
  near.wake(conversation);
  near.steer(conversation, toSeq(1));
  near.publish(conversation, [framed()]);
  await near.flush({ signal });
  expect(heardNear.values).toEqual([conversation]);
  expect(await near.frames(conversation, toSeq(0), { signal })).toEqual([]);

  const back = said('redis connection restored');
  await server.start();
  await back;
  const again = setInterval(() => near.wake(conversation), 50);
  await heardFar.until((values) => values.length > 0);
  clearInterval(again);
  near.publish(conversation, [framed({ number: 2 })]);
  expect(await near.frames(conversation, toSeq(0), { signal })).toEqual([frame({ number: 2 })]);
});

test('a bus opens without Redis and finds it later', async () => {
  await server.kill();
  const { log, said } = listeningLog();
  const back = said('redis connection restored');
  await using bus = await openRedisBus({ url: server.url, log });
  const heard = hear<number>((listener) => bus.onWake(listener));
  bus.wake(toConversationKey(1));
  expect(heard.values).toEqual([1]);
  await server.start();
  await back;
  bus.publish(toConversationKey(1), [framed()]);
  await bus.flush({ signal });
});

/** A log whose messages can be waited for. */
function listeningLog() {
  const target = new EventTarget();
  const tell = (message: string) => void target.dispatchEvent(new Event(message));
  const log: Log = { ...silentLog, warn: tell, info: tell, with: () => log };
  return { log, said: async (message: string) => void (await once(target, message)) };
}
