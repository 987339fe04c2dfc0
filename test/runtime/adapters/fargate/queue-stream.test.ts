import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { QueueStream } from '../../../../runtime/adapters/fargate/queue/queue-stream.ts';
import { chunkBytesMax } from '../../../../runtime/adapters/fargate/settings/limits.ts';

// proves: exec.fargate-letters

const large = Buffer.alloc(100_000, 'x').toString('base64');
const silent = async () => undefined;

/** Whether it resolves without anybody doing anything. */
async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false;
  void work.then(() => {
    done = true;
  });
  await setImmediate();
  return done;
}

test('delivery waits until it is read', async () => {
  const stream = new QueueStream(silent);
  const delivered = stream.deliver(large);
  expect(await isDone(delivered)).toBe(false);
  stream.resume();
  await delivered;
});

test('nobody is waited for once there is a hurry, when the stream is over, or when it is destroyed', async () => {
  const hurried = new QueueStream(silent);
  const waiting = hurried.deliver(large);
  hurried.ignoreBackpressure();
  await waiting;
  expect(await isDone(hurried.deliver(large))).toBe(true);
  hurried.finish();
  await hurried.deliver(large);
  let bytes = 0;
  for await (const chunk of hurried) bytes += chunk.length;
  expect(bytes).toBe(200_000);
  const destroyed = new QueueStream(silent);
  const left = destroyed.deliver(large);
  destroyed.destroy();
  await left;
  await destroyed.deliver(large);
});

test('what is written goes out in pieces, each when the one before has gone', async () => {
  const sent: string[] = [];
  let free: () => void = () => undefined;
  const stream = new QueueStream(async (bytes) => {
    sent.push(bytes);
    await new Promise<void>((resolve) => {
      free = resolve;
    });
  });
  const bytes = Buffer.alloc(2 * chunkBytesMax + 1, 'y');
  const written = new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
  for (const count of [1, 2, 3]) {
    await setImmediate();
    expect(sent).toHaveLength(count);
    free();
  }
  await written;
  expect(Buffer.concat(sent.map((one) => Buffer.from(one, 'base64'))).equals(bytes)).toBe(true);
});

test('a piece that cannot be sent ends the stream', async () => {
  const stream = new QueueStream(async () => {
    throw new Error('no bucket');
  });
  const failed = new Promise<Error>((resolve) => stream.on('error', resolve));
  stream.write('x');
  expect((await failed).message).toBe('no bucket');
});
