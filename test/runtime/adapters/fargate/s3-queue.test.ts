import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { S3Queue } from '../../../../runtime/adapters/fargate/queue/s3-queue.ts';
import { batchBytesMax } from '../../../../runtime/adapters/fargate/settings/limits.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import { runs } from '../../../tools/runs.ts';
import { type Bucket, openBucket } from './bucket.ts';

// proves: exec.fargate-letters

const work = new Set<AbortController>();
afterEach(() => {
  for (const each of work) each.abort();
  work.clear();
});

function pair(bucket: Bucket, key: Buffer = randomBytes(32)) {
  const controller = new AbortController();
  work.add(controller);
  const { signal } = controller;
  const common = { objects: bucket, folder: 'executions/cell-1', key, signal };
  const receives = z.string();
  return {
    runtime: new S3Queue<string, string>({ ...common, side: 'runtime', receives }),
    task: new S3Queue<string, string>({ ...common, side: 'task', receives }),
    stop: () => controller.abort(),
  };
}

async function taken(box: S3Queue<string, string>, count: number): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const one of box.receive()) {
    found.push(one);
    if (found.length === count) break;
  }
  return found;
}

const names = (bucket: Bucket) => [...bucket.kept.keys()].toSorted();
const first = 'executions/cell-1/from-runtime/00000001';

test('messages arrive once, in order, in both directions, whichever side polls first', async () => {
  const said = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(said, said, fc.boolean(), async (down, up, early) => {
      const { runtime, task } = pair(openBucket());
      const send = async () => {
        await Promise.all([
          ...down.map((one) => runtime.send(one)),
          ...up.map((one) => task.send(one)),
        ]);
      };
      if (!early) await send();
      const reads = Promise.all([taken(task, down.length), taken(runtime, up.length)]);
      if (early) await send();
      expect(await reads).toEqual([down, up]);
    }),
    runs(30),
  );
});

test('messages sent while a batch is being written go into the next one together', async () => {
  const bucket = openBucket();
  const { runtime, task } = pair(bucket);
  const said = Array.from({ length: 50 }, (_, n) => `${n}`);
  await Promise.all(said.map((one) => runtime.send(one)));
  expect(names(bucket)).toHaveLength(2);
  expect(await taken(task, 50)).toEqual(said);
});

test('letters have an end: what would be more goes into the next, and what none can hold is refused', async () => {
  const bucket = openBucket();
  const { runtime, task } = pair(bucket);
  const large = 'x'.repeat(batchBytesMax / 2);
  await Promise.all([1, 2, 3].map((n) => runtime.send(`${n}${large}`)));
  for (const body of bucket.kept.values())
    expect(body.byteLength).toBeLessThanOrEqual(batchBytesMax + 28);
  const arrived = await taken(task, 3);
  expect(arrived.map((text) => text.slice(0, 1))).toEqual(['1', '2', '3']);
  await expect(runtime.send('x'.repeat(batchBytesMax))).rejects.toThrow('too large');
  // Nothing of it was sent, and the next one is read as ever.
  await runtime.send('after');
  expect((await taken(task, 4)).at(-1)).toBe('after');
});

test('a send waits until the bucket has the message', async () => {
  const bucket = openBucket();
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    free = resolve;
  });
  const put = bucket.put.bind(bucket);
  const { runtime } = pair({
    ...bucket,
    put: async (...args) => {
      await held;
      await put(...args);
    },
  });
  let sent = false;
  const sending = runtime.send('one').then(() => {
    sent = true;
  });
  await new Promise(setImmediate);
  expect(sent).toBe(false);
  free();
  await sending;
  expect(names(bucket)).toEqual([first]);
});

test('a batch that was not written is the last: no side reads past a gap', async () => {
  const bucket = openBucket();
  let puts = 0;
  const { runtime, task, stop } = pair({
    ...bucket,
    put: async (...args) => {
      puts += 1;
      if (puts === 2) throw new Fault('BLOBS_UNAVAILABLE', {});
      await bucket.put(...args);
    },
  });
  await runtime.send('one');
  await expect(runtime.send('two')).rejects.toThrow('BLOBS_UNAVAILABLE');
  await expect(runtime.send('three')).rejects.toThrow('BLOBS_UNAVAILABLE');
  expect(names(bucket)).toEqual([first]);
  const all: string[] = [];
  for await (const one of task.receive()) {
    all.push(one);
    stop();
  }
  expect(all).toEqual(['one']);
});

const forgeries: Readonly<Record<string, (bucket: Bucket, key: Buffer) => Promise<void>>> = {
  'changed by a bit': async (bucket) => {
    const body = Buffer.from(bucket.kept.get(first) ?? '');
    body.writeUInt8(body.readUInt8(30) ^ 1, 30);
    bucket.kept.set(first, body);
  },
  'cut off': async (bucket) => {
    bucket.kept.set(first, Buffer.from(bucket.kept.get(first) ?? '').subarray(0, 20));
  },
  'sealed with another key': async (bucket) => {
    const other = openBucket();
    await pair(other).runtime.send('forged');
    bucket.kept.set(first, Buffer.from(other.kept.get(first) ?? ''));
  },
  'its own, of the other direction': async (bucket, key) => {
    const other = openBucket();
    await pair(other, key).task.send('mine');
    bucket.kept.set(first, Buffer.from(other.kept.get(first.replace('runtime', 'task')) ?? ''));
  },
  'another one of the same side': async (bucket, key) => {
    const other = openBucket();
    const { runtime } = pair(other, key);
    await runtime.send('one');
    await runtime.send('two');
    bucket.kept.set(first, Buffer.from(other.kept.get(first.replace(/1$/, '2')) ?? ''));
  },
  'larger than a batch may be': async (bucket) => {
    bucket.kept.set(first, Buffer.alloc(batchBytesMax + 29));
  },
  'of another form': async (bucket, key) => {
    const other = openBucket();
    const { signal } = new AbortController();
    const folder = 'executions/cell-1';
    const options = { objects: other, folder, key, side: 'runtime', signal } as const;
    await new S3Queue<number, string>({ ...options, receives: z.string() }).send(7);
    bucket.kept.set(first, Buffer.from(other.kept.get(first) ?? ''));
  },
};

test.each(Object.entries(forgeries))('a batch that is %s is not read', async (_, forge) => {
  const bucket = openBucket();
  const key = randomBytes(32);
  const { runtime, task } = pair(bucket, key);
  await runtime.send('one');
  await forge(bucket, key);
  await expect(taken(task, 1)).rejects.toThrow('EXEC_PROTOCOL');
});

test('a batch that is copied to later names is not read twice', async () => {
  const bucket = openBucket();
  const { runtime, task } = pair(bucket);
  await runtime.send('one');
  bucket.kept.set(first.replace(/1$/, '2'), Buffer.from(bucket.kept.get(first) ?? ''));
  await expect(taken(task, 2)).rejects.toThrow('EXEC_PROTOCOL');
});

test('a receiver stops waiting at the signal', async () => {
  const { task, stop } = pair(openBucket());
  const all = taken(task, 1);
  stop();
  expect(await all).toEqual([]);
});
