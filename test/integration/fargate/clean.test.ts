import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openOwner } from '../../../runtime/adapters/fargate/executions/owners.ts';
import { reap } from '../../../runtime/adapters/fargate/executions/reap.ts';
import {
  type ExecutionServices,
  registerExecution,
} from '../../../runtime/adapters/fargate/executions/registry.ts';
import {
  heartbeatTtlMs,
  orphanGraceMs,
} from '../../../runtime/adapters/fargate/settings/limits.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import type { ExecEnvelope } from '../../../runtime/tools/ports/sandbox.ts';
import { type Aws, openAws, placesOf } from '../../tools/aws/place.ts';
import type { RunningTask } from '../../tools/aws/tasks.ts';
import { LostReply, type Mishap, WireError } from '../../tools/aws/wire.ts';
import { runs } from '../../tools/runs.ts';
import { never, ran, request, sandboxParts } from '../exec/kit.ts';

// proves: exec.fargate-clean, exec.fargate-reaped, exec.fargate-tried-again

const scope = new Scope();
let aws: Aws;
let places: ExecutionServices;
let start: () => RunningTask = dying;
beforeAll(async () => {
  aws = await openAws(scope, { start: async () => start() });
  places = placesOf(aws, scope);
});
afterAll(() => scope[Symbol.asyncDispose]());
beforeEach(() => {
  start = dying;
  aws.wire.asked.length = 0;
});

/** Never gets so far as to say anything. */
function dying(): RunningTask {
  const task = { lastStatus: 'STOPPED', stoppedReason: 'CannotPullContainerError', containers: [] };
  return { stop: async () => undefined, describe: () => task };
}

/** Says nothing, until it is stopped. */
function silent(): RunningTask {
  let lastStatus = 'RUNNING';
  return {
    stop: async () => {
      lastStatus = 'STOPPED';
    },
    describe: () => ({ lastStatus, stoppedReason: 'asked to', containers: [] }),
  };
}

const no =
  (type: string): Mishap =>
  async () => {
    throw new WireError(type, 'spoilt');
  };
const throttled = no('ThrottlingException');
const denied = no('AccessDeniedException');
const full: Mishap = async () => ({
  tasks: [],
  failures: [{ reason: 'Capacity is unavailable at this time.' }],
});
const unheard: Mishap = async (perform) => {
  await perform();
  throw new LostReply();
};

/** One program from a sandbox that is then closed. */
async function ranOnce(signal = never): Promise<ExecEnvelope> {
  await using sandbox = await openFargate({ ...sandboxParts(), settings: aws.settings });
  return (await ran(sandbox, request('python', 'print(1)'), { signal })).envelope;
}

/** Everything that is there and should not be. */
async function left(): Promise<readonly string[]> {
  return [...aws.tasks.running(), ...aws.secrets.kept.keys(), ...(await aws.objects())];
}

type Path = {
  readonly spoils: Readonly<Record<string, readonly Mishap[]>>;
  /** What a person finds in the envelope. */
  readonly because: RegExp;
  readonly asks: Readonly<Record<string, number>>;
};

const paths: Readonly<Record<string, Path>> = {
  'a task that dies before it is ready': {
    ...{ spoils: {}, because: /the task ended: CannotPullContainerError/, asks: { RunTask: 1 } },
  },
  'a service that is asked too often': {
    spoils: { RunTask: [throttled, throttled], CreateSecret: [throttled] },
    because: /the task ended/,
    asks: { RunTask: 3, CreateSecret: 2 },
  },
  'a cluster that is full for a while': {
    spoils: { RunTask: [full, full] },
    because: /the task ended/,
    asks: { RunTask: 3 },
  },
  'a cluster that stays full': {
    spoils: { RunTask: [full, full, full, full, full] },
    because: /no task was started: Capacity is unavailable/,
    asks: { RunTask: 5 },
  },
  'a task that is not to be had for another reason': {
    spoils: { RunTask: [async () => ({ failures: [{ reason: 'AGENT' }] })] },
    because: /no task was started: AGENT/,
    asks: { RunTask: 1 },
  },
  'a platform that may not start tasks': {
    spoils: { RunTask: [denied] },
    because: /ECS: AccessDeniedException/,
    asks: { RunTask: 1, StopTask: 0 },
  },
  'a platform that may not keep secrets': {
    spoils: { CreateSecret: [denied] },
    because: /Secrets Manager: AccessDeniedException/,
    asks: { RunTask: 0 },
  },
  'an answer that is lost': {
    spoils: { RunTask: [unheard] },
    because: /the task ended/,
    asks: { RunTask: 2 },
  },
};

test.each(Object.entries(paths))('%s leaves nothing', async (_, { spoils, because, asks }) => {
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
  for (const [operation, mishaps] of Object.entries(spoils)) aws.wire.spoil(operation, ...mishaps);
  const envelope = await ranOnce();
  expect(envelope).toMatchObject({ ok: false, kill_reason: 'lost', backend: 'fargate' });
  expect(envelope.runtime_err_tail).toMatch(because);
  expect(await left()).toEqual([]);
  const counts = Object.keys(asks).map((name) => [
    name,
    aws.wire.asked.filter((one) => one === name).length,
  ]);
  expect(Object.fromEntries(counts)).toEqual(asks);
});

test('a task whose name was never heard is found by its execution, and stopped', async () => {
  start = silent;
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
  aws.wire.spoil('RunTask', unheard, unheard, unheard, unheard, unheard);
  expect((await ranOnce()).kill_reason).toBe('lost');
  expect(aws.wire.asked).toContain('StopTask');
  expect(await left()).toEqual([]);
});

test('a cancel while a task starts is answered at once, and nothing stays', async () => {
  const controller = new AbortController();
  start = () => {
    controller.abort();
    return silent();
  };
  expect((await ranOnce(controller.signal)).kill_reason).toBe('cancelled');
  expect(await left()).toEqual([]);
});

test('what could not be removed stays written down, and the next round removes it', async () => {
  start = silent;
  const controller = new AbortController();
  aws.wire.spoil('StopTask', denied);
  aws.wire.spoil('DescribeTasks', async (perform) => {
    controller.abort();
    return perform();
  });
  expect((await ranOnce(controller.signal)).kill_reason).toBe('cancelled');
  // The secret and the letters go all the same.
  expect([...aws.secrets.kept.keys()]).toEqual([]);
  expect(aws.tasks.running()).toHaveLength(1);
  expect(await aws.objects()).toEqual([expect.stringMatching(/^acme\/made\//)]);
  expect(await reap(places, { nowMs: Date.now(), signal: never })).toBe(1);
  expect(await left()).toEqual([]);
});

test('however the services fail, nothing stays after a last round', async () => {
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
  const mishap = fc.constantFrom('fine', 'throttled', 'denied', 'unheard');
  const operations = [
    'RunTask',
    'CreateSecret',
    'StopTask',
    'DeleteSecret',
    'DescribeTasks',
    'ListTasks',
  ];
  const spoils = fc.record(
    Object.fromEntries(operations.map((name) => [name, fc.array(mishap, { maxLength: 2 })])),
  );
  const kinds = { fine: (perform) => perform(), throttled, denied, unheard } satisfies Record<
    string,
    Mishap
  >;
  await fc.assert(
    fc.asyncProperty(spoils, async (chosen) => {
      for (const name of operations) {
        aws.wire.heal(name);
        aws.wire.spoil(name, ...(chosen[name] ?? []).map((kind) => kinds[kind]));
      }
      await ranOnce();
      for (const name of operations) aws.wire.heal(name);
      await reap(places, { nowMs: Date.now(), signal: never });
      expect(await left()).toEqual([]);
    }),
    runs(12),
  );
});

/** A worker that has ordered a task and waits for its first word. */
async function startWorker(): Promise<ChildProcess> {
  const script = join(import.meta.dirname, 'worker.ts');
  const argv = [
    '--import',
    'tsx',
    '--conditions=timeloom-source',
    script,
    JSON.stringify(aws.settings),
  ];
  return spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
}

test('what a killed worker had made stays while it may live, and is removed once its signs of life run out', async () => {
  const ordered = new Promise<void>((resolve) => {
    start = () => {
      resolve();
      return silent();
    };
  });
  const worker = await startWorker();
  await ordered;
  const exit = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exit;
  const there = await left();
  expect(there.length).toBeGreaterThanOrEqual(4);
  expect(await reap(places, { nowMs: Date.now(), signal: never })).toBe(0);
  expect(await left()).toEqual(there);
  const nowMs = Date.now() + heartbeatTtlMs + orphanGraceMs + 1;
  expect(await reap(places, { nowMs, signal: never })).toBe(1);
  expect(await left()).toEqual([]);
});

test('a reaper removes what is past its deadline, even of living owners, and finds it behind any number of others', async () => {
  const parts = { bucket: places.bucket, clock: systemClock, log: silentLog };
  await using owner = await openOwner(parts);
  const nowMs = Date.now();
  const cells = Array.from({ length: 130 }, (_, n) => `cell-${n.toString(16).padStart(24, '0')}`);
  const entry = (cell: string, deadlineMs: number, name = owner.name) =>
    registerExecution({ cell, owner: name, deadlineMs }, places.bucket, new AbortController());
  await Promise.all(cells.map((cell) => entry(cell, nowMs)));
  await entry('cell-ffffffffffffffffffffffff', nowMs + 3_600_000, 'somebody-dead');
  await entry('cell-fffffffffffffffffffffffe', nowMs - 3_600_000);
  expect(await reap(places, { nowMs, signal: never })).toBe(2);
  const kept = (await aws.objects()).filter((key) => key.startsWith('acme/made/'));
  expect(kept).toHaveLength(cells.length);
  expect(await reap(places, { nowMs: nowMs + orphanGraceMs + 1, signal: never })).toBe(
    cells.length,
  );
});

test('a living owner renews its sign, one at a time', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    let nowMs = Date.now();
    const clock = { ...systemClock, now: () => nowMs };
    await using owner = await openOwner({ bucket: places.bucket, clock, log: silentLog });
    const signs = async () => (await aws.objects()).filter((key) => key.endsWith(owner.name));
    const before = await signs();
    nowMs += heartbeatTtlMs;
    await vi.advanceTimersToNextTimerAsync();
    await expect.poll(signs).toEqual([`acme/owners/${nowMs + heartbeatTtlMs}.${owner.name}`]);
    expect(before).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
  expect(await left()).toEqual([]);
});
