import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TaskState } from '../../../../runtime/adapters/fargate/aws/tasks.ts';
import {
  awaitReady,
  tolerateFailures,
} from '../../../../runtime/adapters/fargate/aws/watch-task.ts';
import type { FromTask } from '../../../../runtime/adapters/fargate/queue/messages.ts';
import {
  launchMsMax,
  pollFailuresMax,
} from '../../../../runtime/adapters/fargate/settings/limits.ts';
import { Fault } from '../../../../runtime/base/fault.ts';

// proves: exec.fargate-task

const { signal } = new AbortController();
const runs: TaskState = {
  executorEnded: false,
  code: undefined,
  outOfMemory: false,
  because: '',
  stopped: false,
};

async function* nothing(): AsyncGenerator<FromTask> {
  await new Promise(() => undefined);
  yield { type: 'here' };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('a task that takes too long is a failure that says so', async () => {
  const arrived = awaitReady(nothing(), { describe: async () => runs, signal });
  const failed = expect(arrived).rejects.toMatchObject({
    code: 'EXEC_FAILED',
    detail: { because: `the task was not ready within ${launchMsMax} ms` },
  });
  await vi.advanceTimersByTimeAsync(launchMsMax);
  await failed;
});

test('a task whose executor ended before it came is not waited for', async () => {
  const pulled = { ...runs, executorEnded: true, because: 'CannotPullContainerError' };
  const arrived = awaitReady(nothing(), { describe: async () => pulled, signal });
  await expect(arrived).rejects.toMatchObject({
    code: 'EXEC_FAILED',
    detail: { because: 'the executor ended: CannotPullContainerError' },
  });
});

test('a cancel is a cancel, and no failure of the task', async () => {
  const controller = new AbortController();
  const arrived = awaitReady(nothing(), { describe: async () => runs, signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(arrived).rejects.not.toBeInstanceOf(Fault);
});

test('a service that cannot be asked for a while has not lost a task; one that never can is a failure', async () => {
  const throttled = new Fault('EXEC_FAILED', { because: 'ECS: ThrottlingException' });
  let fails = pollFailuresMax - 1;
  const look = tolerateFailures(async () => {
    if (fails === 0) return { ...runs, executorEnded: true };
    fails -= 1;
    throw throttled;
  });
  for (let n = 1; n < pollFailuresMax; n += 1) expect(await look(signal)).toEqual(runs);
  expect(await look(signal)).toMatchObject({ executorEnded: true });
  fails = pollFailuresMax;
  for (let n = 1; n < pollFailuresMax; n += 1)
    expect(await look(signal)).toMatchObject({ executorEnded: true });
  await expect(look(signal)).rejects.toBe(throttled);
});
