import { expect, test } from 'vitest';
import { Fault } from '../../../../runtime/base/fault.ts';
import { Refusal } from '../../../../runtime/base/refusal.ts';
import { JobRunner } from '../../../../runtime/engine/jobs/runner.ts';
import { jobLeaseMarginMs, jobLeaseTtlMs, jobRetryMs } from '../../../../runtime/engine/limits.ts';
import type { JobStore } from '../../../../runtime/engine/ports/jobs.ts';
import { createReadableLog } from '../../sdk/kit.ts';
import { every, jobOf, memberwise, nameOf, openFleet } from './jobs-fleet.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

// proves: jobs.ticks
test('two runners perform each tick once, no tick before its time', async () => {
  await using fleet = openFleet();
  const at: string[] = [];
  const run = () => void at.push(new Date(fleet.clock.now()).toISOString().slice(11, 16));
  const sweep = jobOf('sweep', run, { schedule: every('*/5 * * * *') });
  fleet.start([sweep]);
  fleet.start([sweep]);
  await fleet.clock.advance(4 * minuteMs);
  expect(at).toEqual([]);
  await fleet.clock.advance(12 * minuteMs);
  expect(at).toEqual(['00:05', '00:10', '00:15']);
});

// proves: jobs.missed
test('missed ticks run once, late, when a runner starts', async () => {
  await using fleet = openFleet();
  const at: number[] = [];
  const sweep = jobOf('sweep', () => void at.push(fleet.clock.now()), {
    schedule: every('0 * * * *'),
  });
  const first = fleet.start([sweep]);
  await fleet.clock.advance(minuteMs);
  await first[Symbol.asyncDispose]();
  await fleet.clock.advance(5 * hourMs);
  fleet.start([sweep]);
  await fleet.clock.advance(minuteMs);
  expect(at).toHaveLength(1);
  await fleet.clock.advance(hourMs);
  expect(at).toHaveLength(2);
});

// proves: jobs.no-overlap
test('a run longer than its schedule is not overlapped, and the ticks it delays run once', async () => {
  await using fleet = openFleet();
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
  };
  const sweep = jobOf('sweep', run, { schedule: every('* * * * *') });
  fleet.start([sweep]);
  fleet.start([sweep]);
  await fleet.clock.advance(10 * minuteMs);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await fleet.clock.advance(2_000);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await fleet.clock.advance(2_000);
  expect(ends).toHaveLength(2);
  expect(most).toBe(1);
});

// proves: jobs.attempts
test('an errand is retried with growing delays until its attempts are used up', async () => {
  await using fleet = openFleet();
  const at: number[] = [];
  const startMs = fleet.clock.now();
  const fail = () => {
    at.push(fleet.clock.now() - startMs);
    throw new Error(`no ${at.length}`);
  };
  fleet.start([jobOf('mail', fail)]);
  await fleet.enqueue('mail', 1);
  await fleet.clock.advance(20 * jobRetryMs);
  const [first = 0, second = 0, third = 0, ...more] = at;
  expect(second - first).toBeGreaterThanOrEqual(jobRetryMs);
  expect(third - second).toBeGreaterThanOrEqual(2 * jobRetryMs);
  expect(more).toEqual([]);
  const failures = await fleet.store.failures(nameOf('mail'), { limit: 5 });
  expect(failures.map(({ error, final, input }) => [error, final, input])).toEqual([
    ['no 3', true, 1],
    ['no 2', false, 1],
    ['no 1', false, 1],
  ]);
  expect(await fleet.countOf('mail')).toMatchObject({ waiting: 0, done: 0, failed: 3 });
  expect(fleet.lines.map(({ message }) => message)).toEqual([
    'a job failed and will be retried',
    'a job failed and will be retried',
    'a job failed',
  ]);
});

// proves: jobs.attempts
test('a refusal is not retried unless it is retryable', async () => {
  await using fleet = openFleet();
  let begun = 0;
  const refuse = (n: unknown) => {
    begun += 1;
    throw new Refusal('closed', 'Closed.', { retryable: n === 2 });
  };
  fleet.start([jobOf('mail', refuse)]);
  await fleet.enqueue('mail', 1);
  await fleet.clock.advance(minuteMs);
  expect(begun).toBe(1);
  await fleet.enqueue('mail', 2);
  await fleet.clock.advance(minuteMs);
  expect(begun).toBe(4);
});

test('a failed tick is not retried: the next one runs at its time', async () => {
  await using fleet = openFleet();
  let begun = 0;
  const fail = () => {
    begun += 1;
    throw new Error('no');
  };
  fleet.start([jobOf('sweep', fail, { schedule: every('* * * * *') })]);
  await fleet.clock.advance(3 * minuteMs);
  expect(begun).toBe(3);
  expect(await fleet.countOf('sweep')).toMatchObject({ failed: 3 });
});

// proves: jobs.attempts
test('a run that exceeds its time limit is stopped and fails', async () => {
  await using fleet = openFleet();
  const heard: unknown[] = [];
  let stopped: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const hang = (_: unknown, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        heard.push(signal.reason.why);
        reject(signal.reason);
        stopped();
      });
    });
  fleet.start([jobOf('mail', hang, { timeoutMs: 20, attempts: 1 })]);
  await fleet.enqueue('mail', 1);
  await fleet.clock.advance(2_000);
  await over;
  await fleet.clock.advance(1);
  expect(heard).toEqual(['deadline']);
  const [failure] = await fleet.store.failures(nameOf('mail'), { limit: 1 });
  expect(failure).toMatchObject({ error: 'it did not finish within 20 ms', final: true });
});

// proves: jobs.crash
test('an errand whose runner was lost is retried by another runner, and the attempt counts', async () => {
  await using fleet = openFleet();
  let begun = 0;
  const hang = () => {
    begun += 1;
    return begun === 1 ? new Promise<void>(() => undefined) : undefined;
  };
  // The holder stops renewing and reporting, like a killed process.
  const dead: JobStore = {
    ...memberwise(fleet.store),
    renew: () => new Promise(() => undefined),
  };
  const killed = new AbortController();
  const served = [{ name: nameOf('mail'), job: jobOf('mail', hang) }];
  const { log } = createReadableLog();
  void new JobRunner({ ...fleet, store: dead, log, by: 'dead' }, served, { signal: killed.signal });
  await fleet.enqueue('mail', 7);
  await fleet.clock.advance(2_000);
  expect(begun).toBe(1);
  killed.abort();
  fleet.start([jobOf('mail', hang)]);
  await fleet.clock.advance(jobLeaseTtlMs - 5_000);
  expect(begun).toBe(1);
  await fleet.clock.advance(20_000);
  expect(begun).toBe(2);
  expect(await fleet.countOf('mail')).toMatchObject({ waiting: 0, done: 1, failed: 1 });
  const [failure] = await fleet.store.failures(nameOf('mail'), { limit: 1 });
  expect(failure).toMatchObject({ attempt: 1, final: false, input: 7 });
  expect(failure?.error).toMatch(/ended before it finished/);
});

// proves: jobs.stop
test('a stopping runner stops its runs, and unfinished errands are due at once for other runners', async () => {
  await using fleet = openFleet();
  const done: unknown[] = [];
  const hang = (n: unknown, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (done.length > 0 || n === 2) resolve();
      done.push(n);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const first = fleet.start([jobOf('mail', hang)]);
  await fleet.enqueue('mail', 1);
  await fleet.clock.advance(1_000);
  expect(first.busy).toBe(1);
  await first[Symbol.asyncDispose]();
  expect(first.busy).toBe(0);
  fleet.start([jobOf('mail', hang)]);
  await fleet.clock.advance(1);
  expect(done).toEqual([1, 1]);
  expect(await fleet.countOf('mail')).toMatchObject({ waiting: 0, done: 1, failed: 1 });
});

test('requests to an unavailable store are retried, and finished errands do not run twice', async () => {
  await using fleet = openFleet();
  let begun = 0;
  let isAway = true;
  const away = new Fault('STORE_UNAVAILABLE');
  const shaky: JobStore = {
    ...memberwise(fleet.store),
    now: () => (isAway ? Promise.reject(away) : fleet.store.now()),
    finish: (claim, ending) => (isAway ? Promise.reject(away) : fleet.store.finish(claim, ending)),
  };
  fleet.start(
    [
      jobOf('mail', () => {
        begun += 1;
        isAway = true;
      }),
    ],
    shaky,
  );
  await fleet.enqueue('mail', 1);
  await fleet.clock.advance(2_000);
  expect(begun).toBe(0);
  isAway = false;
  await fleet.clock.advance(2_000);
  expect(begun).toBe(1);
  isAway = false;
  await fleet.clock.advance(10_000);
  expect(begun).toBe(1);
  expect(await fleet.countOf('mail')).toMatchObject({ waiting: 0, done: 1, failed: 0 });
});

// proves: claim.hangs
test('a run whose renewals hang is stopped before another process may begin it', async () => {
  await using fleet = openFleet();
  let stopped: unknown;
  const job = jobOf('mail', (_, signal) =>
    untilStopped(signal).catch((why) => {
      stopped = why;
      throw why;
    }),
  );
  const silent = { ...memberwise(fleet.store), renew: () => new Promise<boolean>(() => undefined) };
  await fleet.enqueue('mail', 1);
  fleet.start([job], silent);
  await fleet.clock.advance(1);
  await fleet.clock.advance(jobLeaseTtlMs - jobLeaseMarginMs - 1_000);
  expect(stopped).toBeUndefined();
  await fleet.clock.advance(1_000);
  expect(stopped).toMatchObject({ why: 'lease_lost' });
  expect(fleet.lines.map(({ message }) => message)).toContain('a job was lost to another process');
});

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
