import { expect, test } from 'vitest';
import { Scope } from '../../runtime/base/scope.ts';
import type { ExecMode } from '../../runtime/cli/config.ts';
import { openSandbox } from '../../runtime/cli/open-sandbox.ts';
import { startDocker } from '../tools/docker.ts';
import { sandboxParts } from './exec-kit.ts';

const nobody = 'unix:///nowhere/docker.sock';

async function open(mode: ExecMode, dockerHost: string) {
  await using scope = new Scope();
  const opened = await openSandbox({ ...sandboxParts(), mode, dockerHost, scope });
  return { ...opened, backend: opened.sandbox?.backend };
}

// proves: exec.auto
test('auto takes Docker if it answers, else the process sandbox', async () => {
  await using docker = await startDocker();
  expect((await open('auto', docker.host)).backend).toBe('docker');
  const { backend, tried } = await open('auto', nobody);
  expect(backend).toBe('process');
  expect(tried).toEqual([expect.stringContaining('no Docker engine answers at')]);
});

// proves: exec.auto
test('a mode that cannot be had is refused in words that name the fix, and nothing else is taken', async () => {
  const { sandbox, refusal } = await open('docker', nobody);
  expect(sandbox).toBeUndefined();
  expect(refusal).toMatch(/nothing here can isolate.*no Docker engine answers.*install bubblewrap/);
});

test('off is not a failure', async () => {
  expect(await open('off', nobody)).toEqual({ tried: [], backend: undefined });
});
