import { expect, test } from 'vitest';
import { isFault } from '../../runtime/base/fault.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { openSandbox } from '../../runtime/cli/open-sandbox.ts';
import { sandboxParts } from './exec-kit.ts';

// proves: exec.auto

const nowhere = 'unix:///nowhere/docker.sock';

test('auto takes the process sandbox when no Docker answers, and says what it tried', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'auto', dockerHost: nowhere, scope } as const;
  const { sandbox, refusal, tried } = await openSandbox(options);
  expect(sandbox?.backend).toBe('process');
  expect(refusal).toBeUndefined();
  expect(tried).toEqual([expect.stringMatching(/^docker: no Docker engine answers at .*nowhere/)]);
});

test('a mode that cannot be had is refused with what to install, and never replaced by another', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'docker', dockerHost: nowhere, scope } as const;
  const { sandbox, refusal } = await openSandbox(options);
  expect(sandbox).toBeUndefined();
  expect(refusal).toMatch(/install bubblewrap and python3 .*or Docker/);
});

test('off opens nothing and refuses nothing', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'off', dockerHost: undefined, scope } as const;
  expect(await openSandbox(options)).toEqual({ tried: [] });
});

test('a mode that does not exist yet stops the start', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'fargate', dockerHost: undefined, scope } as const;
  const error: unknown = await openSandbox(options).catch((thrown: unknown) => thrown);
  expect(isFault(error) && error.code).toBe('EXEC_UNAVAILABLE');
});
