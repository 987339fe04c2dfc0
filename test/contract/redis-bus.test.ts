import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openRedisBus } from '../../runtime/adapters/redis/bus.ts';
import type { Log } from '../../runtime/base/log.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { toConversationKey, toSeq, toStreamName } from '../../runtime/timeline/ids.ts';
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

// proves: live.read-from
test('frames before the wanted block are left in Redis, however many there are', async () => {
  const conversation = newConversation();
  await using bus = await openRedisBus({ url: server.url });
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  for (let number = 1; number <= 5_000; number += 1) {
    const after = toSeq(number > 4_900 ? 9 : 1);
    const stream = toStreamName(`turn_a.1.thinking.${number % 2}`);
    bus.publish(conversation, [framed({ after, number, stream })]);
    if (number % 500 === 0) await bus.flush({ signal });
  }
  const sentBytes = async () =>
    Number(/total_net_output_bytes:(\d+)/.exec(await redis.info('stats'))?.[1]);
  const read = async (from: number) => {
    const before = await sentBytes();
    const frames = await bus.frames(conversation, toSeq(from), { signal });
    return { numbers: frames.map(({ number }) => number), bytes: (await sentBytes()) - before };
  };
  const all = await read(0);
  expect(all.numbers).toEqual(Array.from({ length: 5_000 }, (_, at) => at + 1));
  const last = await read(9);
  expect(last.numbers).toEqual(all.numbers.slice(4_900));
  expect(last.bytes).toBeLessThan(all.bytes / 10);
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
