import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { toExecLimits } from '../../../runtime/tools/exec/program/program-limits.ts';
import { sandboxParts } from '../../integration/exec/kit.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { killExecutors } from './executors.ts';
import { kills, limitMs, lives, randoms } from './kill-plan.ts';
import { bwraps, childrenOf } from './processes.ts';
import { buildWorker } from './spawn-worker.ts';
import { killWorkers } from './turns.ts';

// proves: exec.in-doubt, exec.killed, exec.reaped, i6.not-believed

const scope = new Scope();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-kill-'));
  scope.defer(() => rm(dir, { recursive: true }));
});
afterAll(() => scope[Symbol.asyncDispose]());

/** PID 1 of each sandbox of ours, and the bwrap that waits for it. */
async function victims(): Promise<readonly number[]> {
  const outer = await bwraps();
  return [...(await Promise.all(outer.map(childrenOf))).flat(), ...outer];
}

test('executors killed at any moment, waiting, half made or at work: no effect twice, every doubt reported', {
  timeout: limitMs(kills.executors),
}, async () => {
  const place = join(dir, 'executors');
  await mkdir(place);
  await using sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 3 });
  sandbox.keep?.([{ language: 'python', limits: toExecLimits() }]);
  const way = { sandbox, dir: place, random: randoms(1) };
  await killExecutors({ ...way, kills: kills.executors, pauseMs: 120, victims });
});

test('workers killed at any moment of a turn: taken over, no effect twice, every doubt reported, nothing left behind', {
  timeout: limitMs(kills.workers),
}, async () => {
  const place = join(dir, 'workers');
  const temporary = join(place, 'tmp');
  await mkdir(temporary, { recursive: true });
  await Promise.all([dir, place, temporary].map((path) => chmod(path, 0o711)));
  const url = await openDatabase();
  // Sandboxes of other tests stand in the machine's; what is left in this one is ours.
  vi.stubEnv('TMPDIR', temporary);
  const start = await buildWorker(place);
  const way = { url, dir: place, backend: { kind: 'process' }, start } as const;
  await killWorkers({ ...way, kills: kills.workers, lives: lives(randoms(2), 300) });
  await using _ = await openProcessSandbox(sandboxParts());
  vi.unstubAllEnvs();
  const left = (await readdir(temporary)).filter((name) => name.startsWith('timeloom-exec-'));
  expect(left, 'only of the sandbox that stands').toHaveLength(1);
});
