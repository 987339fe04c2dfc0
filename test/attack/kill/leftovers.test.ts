import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ExecutorFiles } from '../../../runtime/adapters/process/executor-files.ts';
import { SandboxHelper } from '../../../runtime/adapters/process/helper.ts';
import { openProcessCell } from '../../../runtime/adapters/process/open-cell.ts';
import {
  findBubblewrap,
  findPython,
  openStagingDir,
} from '../../../runtime/adapters/process/staging-dir.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { toExecLimits } from '../../../runtime/tools/exec/program/program-limits.ts';
import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import { readyMsMax } from '../../../supervisor/pool/limits.ts';
import { openWarmCell } from '../../../supervisor/pool/open-warm-cell.ts';
import { never, sandboxParts } from '../../integration/exec/kit.ts';
import { bwraps, childrenOf, endNow, ends } from './processes.ts';

// proves: exec.reaped

const scope = new Scope();
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-half-'));
  await chmod(dir, 0o777);
  scope.defer(() => rm(dir, { recursive: true }));
});
afterAll(() => scope[Symbol.asyncDispose]());

/** A cell whose bwrap is this script; `$REAL` in it is the real one. */
async function cellOf(name: string, script: string) {
  const { log, blobs } = sandboxParts();
  const [real = '', python = ''] = [await findBubblewrap(), await findPython()];
  const bwrap = join(dir, name);
  await writeFile(bwrap, `#!/bin/sh\nREAL=${real}\n${script}\n`, { mode: 0o755 });
  const stage = scope.own(await openStagingDir({ log }));
  const helper = scope.own(new SandboxHelper(python));
  const executor = new ExecutorFiles(stage.executor, helper);
  const tools = { stage, bwrap, python, helper, executor };
  const parts = { ...tools, blobs, profile: defaultProfile, hidden: [] };
  const limits = toExecLimits();
  return openWarmCell(
    { language: 'python', limits, folders: [] },
    { open: (kind, way) => openProcessCell(kind, parts, way), signal: never },
  );
}

test(
  'a bwrap killed before it has reported its sandbox is dead at once, and so is what it began',
  async () => {
    const mark = join(dir, 'left');
    const cell = cellOf('early', `sleep 600 & echo $! > ${mark}; kill -9 $$`);
    await expect(cell).rejects.toThrow(/EXEC_FAILED/);
    const pid = Number(await readFile(mark, 'utf8'));
    expect(await ends(pid)).toBe(true);
    // Sooner than an executor that is alive and says nothing would be given up.
  },
  readyMsMax,
);

test('a bwrap killed while its sandbox does not yet end with it takes the sandbox along', async () => {
  const args = 'for each do shift; [ "$each" = --die-with-parent ] || set -- "$@" "$each"; done';
  const { cell } = await cellOf('late', `${args}\nexec $REAL "$@"`);
  const [outer = 0] = await bwraps();
  const [inner = 0] = await childrenOf(outer);
  expect(endNow(outer)).toBe(true);
  await cell.exited;
  expect(await ends(inner)).toBe(true);
  await cell[Symbol.asyncDispose]();
});
