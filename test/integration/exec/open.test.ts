import { expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { libraries as usual } from '../../../supervisor/cell/libraries.ts';
import { ran, request, sandboxParts, unsaid } from './kit.ts';

// proves: exec.auto, exec.profile, exec.libraries-listed

const nowhere = 'unix:///nowhere/docker.sock';

test('auto takes the process sandbox when no Docker answers, and says what it tried', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'auto', dockerHost: nowhere, scope } as const;
  const { sandbox, libraries, refusal, tried } = await openSandbox(options);
  expect(sandbox?.backend).toBe('process');
  expect(libraries).toEqual(usual);
  expect(refusal).toBeUndefined();
  expect(tried).toEqual([expect.stringMatching(/^docker: no Docker engine answers at .*nowhere/)]);
});

// proves: exec.config-reported
test.each([nowhere, 'nonsense'])(
  'Docker that cannot be had at %s is refused with what it needs, and never replaced',
  async (dockerHost) => {
    await using scope = new Scope();
    const options = { ...sandboxParts(), mode: 'docker', dockerHost, scope } as const;
    const { sandbox, refusal } = await openSandbox(options);
    expect(sandbox).toBeUndefined();
    expect(refusal).toContain(dockerHost);
    expect(refusal).toMatch(/mode docker requires .*engine.*DOCKER_HOST/);
    expect(refusal).not.toContain('bubblewrap');
  },
);

test('off opens nothing and refuses nothing', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'off', dockerHost: undefined, scope } as const;
  expect(await openSandbox(options)).toEqual({ tried: [] });
});

// proves: exec.fargate
test('tasks without a place for them are refused, and no other backend is tried', async () => {
  await using scope = new Scope();
  const options = { ...sandboxParts(), mode: 'fargate', dockerHost: undefined, scope } as const;
  const { sandbox, refusal, tried } = await openSandbox(options);
  expect([sandbox, tried.length]).toEqual([undefined, 1]);
  expect(refusal).toMatch(/fargate: .*exec\.fargate/);
});

const ofDocker = [{ runtime: 'runsc' }, { docker: 'combined' }, { docker: 'split' }] as const;

// proves: exec.docker-combined-chosen
test.each(ofDocker)('who says %o of containers gets that or nothing', async (said) => {
  await using scope = new Scope();
  const limits = { ...unsaid, ...said };
  const options = { ...sandboxParts(), dockerHost: nowhere, scope, limits } as const;
  const { sandbox, tried } = await openSandbox({ ...options, mode: 'auto' });
  expect(sandbox).toBeUndefined();
  expect(tried).toHaveLength(1);
});

test('what an operator gives is what a program has', async () => {
  await using scope = new Scope();
  const limits = { ...unsaid, cpus: 0.5, inodes: 500 };
  const options = { ...sandboxParts(), mode: 'process', dockerHost: undefined, limits } as const;
  const { sandbox } = await openSandbox({ ...options, scope });
  if (sandbox === undefined) throw new Error('there is no sandbox');
  const code = 'import os; print(os.statvfs("/out").f_files)';
  const { envelope } = await ran(sandbox, request('python', code));
  expect(envelope.user_out_tail).toBe('500\n');
});
