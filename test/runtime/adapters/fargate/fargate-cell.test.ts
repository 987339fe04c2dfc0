import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TaskState } from '../../../../runtime/adapters/fargate/aws/tasks.ts';
import { FargateCell } from '../../../../runtime/adapters/fargate/cell/fargate-cell.ts';
import { FromTask } from '../../../../runtime/adapters/fargate/queue/messages.ts';
import { S3Queue } from '../../../../runtime/adapters/fargate/queue/s3-queue.ts';
import { pollFastMs } from '../../../../runtime/adapters/fargate/settings/limits.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { Scope } from '../../../../runtime/base/scope.ts';
import { Work } from '../../../../runtime/base/signal.ts';
import { openBucket } from './bucket.ts';

// proves: exec.fargate-task

/** A cell whose task says what `say` is called with, and stands as `seen`; once it is being stopped, as `after`. */
function cellOf(seen: TaskState, after = seen) {
  const queued: FromTask[] = [];
  const room = new EventTarget();
  let looks = 0;
  let now = seen;
  let looked: () => void = () => undefined;
  async function* messages(): AsyncGenerator<FromTask> {
    for (;;) {
      for (let message = queued.shift(); message; message = queued.shift()) yield message;
      await once(room, 'message');
    }
  }
  const work = new Work(new AbortController().signal);
  const way = { objects: openBucket(), folder: 'f', key: Buffer.alloc(32), signal: work.signal };
  const cell = new FargateCell({
    queue: new S3Queue({ ...way, side: 'runtime', receives: FromTask }),
    messages: messages(),
    describe: async () => {
      looks += 1;
      looked();
      return now;
    },
    stop: async () => {
      now = after;
      const seenAgain = new Promise<void>((resolve) => {
        looked = resolve;
      });
      say({ type: 'gone' });
      if (after !== seen) await seenAgain;
    },
    ...{ snapshots: openMemoryBlobStore(), blobs: openMemoryBlobStore(), fileMb: 1 },
    quotas: [{ path: '/out', bytesMax: 16 << 20, filesMax: 20_000 }],
    ...{ scope: new Scope(), work, log: silentLog },
  });
  const say = (message: FromTask) => {
    queued.push(message);
    room.dispatchEvent(new Event('message'));
  };
  return { cell, say, looks: () => looks };
}

const over = { executorEnded: true, code: 0, outOfMemory: false, because: '', stopped: false };

test('what a program that has ended had printed may still be on its way: its task is not asked about all the time', async () => {
  const { cell, say, looks } = cellOf(over);
  await sleep(4 * pollFastMs);
  expect(looks()).toBe(1);
  say({ type: 'gone' });
  expect(await cell.exited).toMatchObject({ code: 0, lost: false });
  expect(looks()).toBe(2);
});

test('a program is ended for a place that it has filled, and the place is named with what it holds', async () => {
  const { cell, say } = cellOf({ ...over, executorEnded: false, code: undefined });
  say({ type: 'full', place: '/out' });
  say({ type: 'sealed', files: [] });
  const { full, lost } = await cell.exited;
  expect(full).toContain('more to /out than the limit of 16 MiB and 20,000 files');
  expect(lost).toBe(false);
});

const killed = { ...over, code: 137, outOfMemory: true };

test.each([
  ['killed in it', killed],
  ['gone with it', { ...killed, code: undefined, stopped: true }],
])('what the service sees while a task is being stopped is our doing: %s', async (_, after) => {
  const { cell, say } = cellOf({ ...over, executorEnded: false, code: undefined }, after);
  say({ type: 'full', place: '/out' });
  say({ type: 'sealed', files: [] });
  expect(await cell.exited).toMatchObject({ outOfMemory: false, lost: false });
});
