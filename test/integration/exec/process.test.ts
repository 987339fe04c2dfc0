import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { openStagingDir } from '../../../runtime/adapters/process/staging-dir.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { execConformance } from './cases/conformance.ts';
import { ran, request, sandboxParts, timelessParts } from './kit.ts';

// proves: exec.languages, exec.contract, exec.one-envelope, exec.kill, i6.limits, i6.own-files-only, i6.not-believed

execConformance(
  'the process sandbox',
  async () => {
    const parts = timelessParts();
    return { ...parts, sandbox: await openProcessSandbox({ ...parts, pool: 2 }) };
  },
  { concurrent: true },
);

test('a worker that is killed takes its programs with it, and the next one cleans up', async () => {
  const mark = `orphan-${process.pid}`;
  await using place = await ownPlace();
  const worker = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'worker.ts'), mark],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const said: unknown[] = await once(worker.stdout.setEncoding('utf8'), 'data');
  const exit = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exit;
  await expect.poll(() => running(mark)).toBe(false);
  const sandbox = await openProcessSandbox(sandboxParts());
  const left = await readdir(place.temporary);
  await sandbox[Symbol.asyncDispose]();
  expect(left).not.toContain(String(said[0]).trim());
});

// proves: exec.reaped
test('a new worker removes what belongs to nobody, and nothing of a living one', async () => {
  await using place = await ownPlace();
  const orphan = join(place.temporary, 'timeloom-exec-0123456789ab');
  await mkdir(join(orphan, 'cell_1'), { recursive: true });
  // A user who can make a folder of that name must not make a worker remove its content.
  const somebodys = 'timeloom-exec-ba9876543210';
  await mkdir(join(place.temporary, somebodys));
  await chown(join(place.temporary, somebodys), otherUser, otherUser);
  const living = await openStagingDir({ log: silentLog });
  await using _ = await openStagingDir({ log: silentLog });
  const left = await readdir(place.temporary);
  await living[Symbol.asyncDispose]();
  expect(left).toContain(living.name);
  expect(left).not.toContain('timeloom-exec-0123456789ab');
  expect(left.includes(somebodys)).toBe(isRoot);
});

// proves: exec.reaped
test('a new worker ends what a dead one left half set up, and nothing of a living one', async () => {
  const living = await openStagingDir({ log: silentLog });
  const stray = await pretend('timeloom-exec-ba9876543210');
  const spared = await pretend(living.name);
  await using _ = await openStagingDir({ log: silentLog });
  expect(await stray.gone).toEqual([null, 'SIGKILL']);
  expect([spared.child.exitCode, spared.child.signalCode]).toEqual([null, null]);
  spared.child.kill('SIGKILL');
  await spared.gone;
  await living[Symbol.asyncDispose]();
});

// proves: exec.cleaned
test('programs run again after something has cleaned the folder for temporary files', async () => {
  await using place = await ownPlace();
  await using sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 0 });
  const programs = { python: 'print("on")', javascript: 'console.log("on")' } as const;
  for (const language of ['python', 'javascript', 'python', 'javascript'] as const) {
    const { envelope } = await ran(sandbox, request(language, programs[language]));
    expect(envelope).toMatchObject({ ok: true, user_out_tail: 'on\n' });
    const [folder = ''] = await readdir(place.temporary);
    await rm(join(place.temporary, folder), { recursive: true });
  }
});

const isRoot = process.getuid?.() === 0;
/** Only root can give something away. */
const otherUser = isRoot ? 65_534 : (process.getuid?.() ?? 0);

/** A directory for temporary files that no other test uses: in the machine's their workers make and remove stages too. */
async function ownPlace(): Promise<AsyncDisposable & { readonly temporary: string }> {
  const temporary = await mkdtemp(join(tmpdir(), 'timeloom-orphan-'));
  await chmod(temporary, 0o711);
  vi.stubEnv('TMPDIR', temporary);
  return {
    temporary,
    [Symbol.asyncDispose]: async () => {
      vi.unstubAllEnvs();
      await rm(temporary, { recursive: true });
    },
  };
}

type Pretended = { readonly child: ChildProcess; readonly gone: Promise<unknown[]> };

/** A process that looks like the bwrap of a stage and waits until a worker of any test takes it for an orphan. */
async function pretend(stage: string): Promise<Pretended> {
  const waiting = 'import time; print("up", flush=True); time.sleep(1000)';
  const executor = join(tmpdir(), stage, 'executor');
  const child = spawn('/usr/bin/python3', ['-c', waiting, executor], {
    argv0: 'bwrap',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const gone = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), gone]);
  return { child, gone };
}

/** Some process of the machine has this in its arguments. */
async function running(mark: string): Promise<boolean> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).some((line) => line.includes(mark));
}
