import { expect, test } from 'vitest';
import { silentLog } from '../../../../runtime/base/log.ts';
import {
  workerRestartMs,
  workerRestartMsMax,
  workerSteadyMs,
} from '../../../../runtime/cli/workers/limits.ts';
import type {
  ProcessEnd,
  WorkerChild,
  WorkerFacts,
} from '../../../../runtime/cli/workers/worker-child.ts';
import { WorkerProcess } from '../../../../runtime/cli/workers/worker-process.ts';
import { workerCount } from '../../../../runtime/cli/workers/worker-processes.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';

const none = { workers: undefined, databaseUrl: undefined, redisUrl: undefined };
const shared = { ...none, databaseUrl: 'postgres://', redisUrl: 'redis://' };

// proves: cli.workers
test('one worker process runs beside the gateway where processes can share everything and there are two cores', () => {
  expect(workerCount(shared, 2)).toBe(1);
  expect(workerCount(shared, 1)).toBe(0);
  expect(workerCount({ ...shared, workers: 3 }, 1)).toBe(3);
  expect(workerCount({ ...shared, workers: 0 }, 8)).toBe(0);
  expect(workerCount(none, 8)).toBe(0);
  expect(workerCount({ ...none, databaseUrl: 'postgres://' }, 8)).toBe(0);
});

// proves: cli.workers
test('worker processes without a shared database and Redis are refused with what to set', () => {
  expect(workerCount({ ...none, workers: 0 }, 8)).toBe(0);
  for (const settings of [none, { ...shared, redisUrl: undefined }]) {
    expect(() => workerCount({ ...settings, workers: 2 }, 8)).toThrow(
      'TIMELOOM_WORKERS=2: processes share a database and Redis: set DATABASE_URL and REDIS_URL, or TIMELOOM_WORKERS=0',
    );
  }
});

/** Children that a test makes ready and ends. */
function children() {
  const started: { become(facts?: WorkerFacts): void; end(end: ProcessEnd): void }[] = [];
  const spawn = (): WorkerChild => {
    let become: (facts?: WorkerFacts) => void = () => undefined;
    let end: (end: ProcessEnd) => void = () => undefined;
    const ready = new Promise<WorkerFacts | undefined>((resolve) => {
      become = resolve;
    });
    const ended = new Promise<ProcessEnd>((resolve) => {
      end = resolve;
    });
    started.push({ become, end });
    const stop = () => {
      become();
      end({ code: 0, signal: null });
    };
    return { pid: started.length, ready, ended, stop };
  };
  return { started, spawn };
}

const killed: ProcessEnd = { code: null, signal: 'SIGKILL' };
const facts: WorkerFacts = { sandbox: 'process' };

// proves: cli.workers
test('a worker process that ends is started again, later with each failure, until one has run for a minute', async () => {
  const clock = manualClock();
  const { started, spawn } = children();
  const worker = new WorkerProcess({ clock, log: silentLog, spawn });
  const failure = async (delayMs: number) => {
    const { length } = started;
    started.at(-1)?.become(facts);
    started.at(-1)?.end(killed);
    await clock.advance(delayMs - 1);
    expect(started).toHaveLength(length);
    await clock.advance(1);
    expect(started).toHaveLength(length + 1);
  };
  await failure(workerRestartMs);
  expect(await worker.ready).toEqual(facts);
  await failure(2 * workerRestartMs);
  for (let n = 0; n < 10; n += 1) {
    started.at(-1)?.become(facts);
    started.at(-1)?.end(killed);
    await clock.advance(workerRestartMsMax);
  }
  await failure(workerRestartMsMax);
  started.at(-1)?.become(facts);
  await clock.advance(workerSteadyMs);
  expect(worker.isReady).toBe(true);
  await failure(workerRestartMs);
  expect(worker.restarts).toBe(started.length - 1);
  await worker[Symbol.asyncDispose]();
});

test('a first worker process that ends before it is ready fails the start, and is not started again', async () => {
  const clock = manualClock();
  const { started, spawn } = children();
  await using worker = new WorkerProcess({ clock, log: silentLog, spawn });
  started[0]?.become(undefined);
  started[0]?.end({ code: 2, signal: null });
  await expect(worker.ready).rejects.toThrow('it ended with 2 before it was ready');
  await clock.advance(workerRestartMsMax);
  expect(started).toHaveLength(1);
});
