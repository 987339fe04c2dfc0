import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Tasks } from '../../../runtime/adapters/fargate/aws/tasks.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import type { Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { kindIdleMs, poolSweepMs } from '../../../supervisor/pool/limits.ts';
import { openFargatePlace, type Place } from '../../tools/aws/place.ts';
import { LostReply, WireError } from '../../tools/aws/wire.ts';
import { engineMsMax } from '../../tools/services/docker.ts';
import { never, noLimits, ran, request, sandboxParts } from '../exec/kit.ts';

// proves: exec.fargate-pool

const scope = new Scope();
let place: Place;
let sandbox: Sandbox & AsyncDisposable;
let idleMs = 0;
beforeAll(async () => {
  place = await openFargatePlace(scope);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + idleMs };
  const parts = { ...sandboxParts(), clock };
  sandbox = await openFargate({ ...parts, settings: place.settings, pool: 1 });
}, engineMsMax);
afterAll(async () => {
  vi.useRealTimers();
  await scope[Symbol.asyncDispose]();
});

vi.setConfig({ testTimeout: 600_000 });
const waitOptions = { interval: 50 };

/** Tasks whose executor has said hello. */
async function ready(): Promise<number> {
  const keys = await place.objects();
  return keys.filter((key) => key.endsWith('/from-task/00000002')).length;
}

/** One task waits that is none of these, and nothing else is there. */
async function oneWaits(gone: ReadonlySet<string> = new Set()): Promise<string> {
  const others = () => place.tasks.running().filter((task) => !gone.has(task));
  await expect.poll(() => others().length, waitOptions).toBe(1);
  await expect.poll(() => place.tasks.running().length, waitOptions).toBe(1);
  await expect.poll(ready, waitOptions).toBe(1);
  return others()[0] ?? '';
}

const mark = `import os, time
with open("/proc/1/stat") as file: ticks = int(file.read().rsplit(")")[1].split()[19])
age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / 100
print(int((time.time() - age) * 1_000), os.path.exists("/tmp/mark"), os.path.exists("/out/mark"))
for folder in ("/tmp", "/out", "/work"): open(f"{folder}/mark", "w").write("x")`;

test('a program has its first line from a task that waited, which serves it alone and is replaced', async () => {
  sandbox.keep?.([{ language: 'python', limits: noLimits }]);
  const served = new Set<string>();
  for (let n = 0; n < 3; n += 1) {
    const waiting = await oneWaits(served);
    served.add(waiting);
    const askedMs = Date.now();
    const { envelope } = await ran(sandbox, request('python', mark));
    const [startedMs = '', ...found] = envelope.user_out_tail.trim().split(' ');
    expect(found).toEqual(['False', 'False']);
    expect(Number(startedMs)).toBeGreaterThan(0);
    expect(Number(startedMs)).toBeLessThan(askedMs);
  }
});

test('a task that dies while it waits is replaced', async () => {
  const waiting = await oneWaits();
  using tasks = new Tasks(place.settings);
  await tasks.stop(waiting, 'a test');
  // The service is asked seldom how a task is that waits.
  await oneWaits(new Set([waiting]));
});

test('a service that is throttled, full, and then loses its answer still gives a program its task', async () => {
  sandbox.keep?.([]);
  const throttled = async () => {
    throw new WireError('ThrottlingException', 'Rate exceeded');
  };
  const full = async () => ({ failures: [{ reason: 'RESOURCE:MEMORY' }] });
  const lost = async (perform: () => Promise<unknown>) => {
    await perform();
    throw new LostReply();
  };
  using _random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
  place.wire.spoil('RunTask', throttled, full, lost);
  const limits = { ...noLimits, memoryMb: 256 };
  const { envelope } = await ran(sandbox, request('python', 'print(1)', { limits }));
  expect(envelope.user_out_tail).toBe('1\n');
});

test('a kind that nobody asks for any more has no task', async () => {
  idleMs += kindIdleMs + 1;
  await vi.advanceTimersByTimeAsync(poolSweepMs);
  await expect.poll(() => place.tasks.running().length, waitOptions).toBe(0);
});

test('a sandbox that is closed leaves no task, however it was used', async () => {
  sandbox.keep?.([{ language: 'javascript', limits: noLimits }]);
  await oneWaits();
  const aborted = new AbortController();
  const late = ran(sandbox, request('python', 'import time; time.sleep(30)'), {
    signal: aborted.signal,
  });
  await expect.poll(ready, waitOptions).toBeGreaterThanOrEqual(2);
  aborted.abort();
  expect((await late).envelope.kill_reason).toBe('cancelled');
  const limits = { ...noLimits, timeoutMs: 500 };
  const slow = await ran(sandbox, request('python', 'import time; time.sleep(30)', { limits }), {
    signal: never,
  });
  expect(slow.envelope.kill_reason).toBe('timeout');
  const failed = await ran(sandbox, request('python', 'raise ValueError("x")'));
  expect(failed.envelope.error?.code).toBe('program_failed');
  await sandbox[Symbol.asyncDispose]();
  expect(place.tasks.running()).toEqual([]);
  expect([...place.secrets.kept.keys()]).toEqual([]);
  expect(await place.objects()).toEqual([]);
});
