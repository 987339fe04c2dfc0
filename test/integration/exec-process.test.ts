import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { openStage } from '../../runtime/adapters/process/stage.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

// proves: exec.languages, exec.contract, exec.one-envelope, exec.kill, i6.limits, i6.own-files-only, i6.not-believed

execConformance('the process sandbox', async () => {
  const parts = sandboxParts();
  return { sandbox: await openProcessSandbox({ ...parts, pool: 2 }), blobs: parts.blobs };
});

test('a worker that is killed takes its programs with it, and the next one cleans up', async () => {
  const mark = `orphan-${process.pid}`;
  // Sandboxes of other tests stand in the machine's.
  const temporary = await mkdtemp(join(tmpdir(), 'timeloom-orphan-'));
  await chmod(temporary, 0o711);
  vi.stubEnv('TMPDIR', temporary);
  const worker = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'exec-worker.ts'), mark],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said: unknown[] = await once(worker.stdout.setEncoding('utf8'), 'data');
  const exit = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exit;
  await until(async () => !(await running(mark)));
  const sandbox = await openProcessSandbox(sandboxParts());
  const left = await readdir(temporary);
  await sandbox[Symbol.asyncDispose]();
  vi.unstubAllEnvs();
  await rm(temporary, { recursive: true });
  expect(left).not.toContain(String(said[0]).trim());
});

// proves: exec.reaped
test('a new worker removes what belongs to nobody, and nothing of a living one', async () => {
  const orphan = join(tmpdir(), 'timeloom-exec-0123456789ab');
  await mkdir(join(orphan, 'cell_1'), { recursive: true });
  const living = await openStage({ log: silentLog });
  await using _ = await openStage({ log: silentLog });
  const left = await readdir(tmpdir());
  await living[Symbol.asyncDispose]();
  expect(left).toContain(living.name);
  expect(left).not.toContain('timeloom-exec-0123456789ab');
});

// proves: exec.reaped
test('a new worker ends what a dead one left half set up, and nothing of a living one', async () => {
  const living = await openStage({ log: silentLog });
  const stray = await pretend('timeloom-exec-ba9876543210');
  const spared = await pretend(living.name);
  const gone = once(stray, 'exit');
  await using _ = await openStage({ log: silentLog });
  expect(await gone).toEqual([null, 'SIGKILL']);
  expect([spared.exitCode, spared.signalCode]).toEqual([null, null]);
  const ended = once(spared, 'exit');
  spared.kill('SIGKILL');
  await ended;
  await living[Symbol.asyncDispose]();
});

/** A process that looks like the bwrap of a stage and waits for ever. */
async function pretend(stage: string): Promise<ChildProcess> {
  const waiting = 'import time; print("up", flush=True); time.sleep(1000)';
  const executor = join(tmpdir(), stage, 'executor');
  const child = spawn('/usr/bin/python3', ['-c', waiting, executor], {
    argv0: 'bwrap',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Some process of the machine has this in its arguments. */
async function running(mark: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).some((line) => line.includes(mark));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it did not come true');
    await new Promise(setImmediate);
  }
}
