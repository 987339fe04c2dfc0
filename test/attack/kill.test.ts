import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDirectoryCallJournal } from '../../runtime/adapters/directory/call-journal.ts';
import { openProcessSandbox } from '../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { toExecLimits } from '../../runtime/tools/exec/program-limits.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { bwraps, childrenOf, endNow } from './kill-procs.ts';
import { Ledger, runProgram } from './kill-world.ts';

// proves: exec.in-doubt, exec.reaped, i6.not-believed

/** Kills in all; a fifth of them of whole workers. */
const kills = Number(process.env['TIMELOOM_KILLS'] ?? 20);
const workers = Math.ceil(kills / 5);
const seed = Number(process.env['TIMELOOM_SEED'] ?? 1);
const scope = new Scope();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-kill-'));
  scope.defer(() => rm(dir, { recursive: true }));
});
afterAll(() => scope[Symbol.asyncDispose]());

/** The same numbers for the same seed, from 0 to 1. */
function* randoms(state: number): Generator<number, never> {
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

test('executors killed at any moment: no effect twice, and the model is told of each in doubt', async () => {
  await using sandbox = await openProcessSandbox({ ...sandboxParts(), pool: 3 });
  sandbox.keep?.([{ language: 'python', limits: toExecLimits() }]);
  const ledger = new Ledger(dir);
  const random = randoms(seed);
  let [killed, programs] = [0, 0];
  let failed = false;
  const goesOn = () => killed < kills - workers && !failed;
  const run = async () => {
    while (goesOn()) {
      programs += 1;
      const call = `tc_executor${programs}`;
      const read = await runProgram(call, { sandbox, dir });
      const doubts = ledger.cutOff(call);
      const told = [...read.matchAll(/\(call (\w+), (?:un)?keyed\)/g)].map(([, id]) => id);
      const ids = doubts.map((key) => key.slice(call.length + 1));
      // A call whose end was on its way is told as well: its end was not heard.
      expect(told).toEqual(expect.arrayContaining(ids));
    }
  };
  const kill = async () => {
    while (goesOn()) {
      await setTimeout(random.next().value * 120);
      const pids = await executors();
      const pid = pids[Math.floor(random.next().value * pids.length)];
      if (pid !== undefined && endNow(pid)) killed += 1;
    }
  };
  const all = [run(), run(), run(), kill()].map((each) =>
    each.catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(all);
  expect(new Set(ledger.all('begin')).size).toBe(ledger.all('begin').length);
  expect((await readdir(dir)).filter((name) => name.endsWith('.jsonl'))).toEqual([]);
}, 600_000);

test('workers killed at any moment: what was begun is in the journal, and nothing is left behind', async () => {
  const random = randoms(seed + 1);
  const ledger = new Ledger(dir);
  const journal = await openDirectoryCallJournal(dir);
  // Sandboxes of other tests stand in the machine's; what is left in this one is ours.
  const temporary = await mkdtemp(join(dir, 'tmp-'));
  await Promise.all([dir, temporary].map((path) => chmod(path, 0o711)));
  vi.stubEnv('TMPDIR', temporary);
  let count = 0;
  const run = async () => {
    while (count < workers) {
      count += 1;
      const call = `tc_worker${count}`;
      await killWorker(call, random.next().value * 250);
      const known = (await journal.unsettled(call)).map(({ id }) => `${call}.${id}`);
      expect(known).toEqual(expect.arrayContaining([...ledger.cutOff(call)]));
      await journal.forget(call);
    }
  };
  await Promise.all([run(), run()]);
  expect(new Set(ledger.all('begin')).size).toBe(ledger.all('begin').length);
  await using _ = await openProcessSandbox(sandboxParts());
  vi.unstubAllEnvs();
  const left = (await readdir(temporary)).filter((name) => name.startsWith('timeloom-exec-'));
  expect(left, 'only of the sandbox that stands').toHaveLength(1);
}, 600_000);

async function killWorker(call: string, ms: number): Promise<void> {
  const script = join(import.meta.dirname, 'kill-worker.ts');
  const argv = ['--conditions=timeloom-source', '--import', 'tsx', script, call, dir];
  const worker = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(worker, 'exit');
  await Promise.race([once(worker.stdout, 'data'), exit]);
  await setTimeout(ms);
  worker.kill('SIGKILL');
  await exit;
}

/** PID 1 of each sandbox of ours. */
async function executors(): Promise<readonly number[]> {
  return (await Promise.all((await bwraps()).map(childrenOf))).flat();
}
