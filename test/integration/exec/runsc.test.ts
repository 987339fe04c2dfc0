import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import { isRefusal } from '../../../runtime/base/refusal.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import { engineMsMax, gvisor, openDocker, startDocker } from '../../tools/services/docker.ts';
import { execConformance } from './cases/conformance.ts';
import { noLimits, ran, request, sandboxParts, timelessParts, unsaid } from './kit.ts';

const scope = new Scope();
let engine: string;
beforeAll(async () => {
  engine = scope.own(await openDocker()).host;
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

const bySandbox = () => ({ ...sandboxParts(), dockerHost: engine, runtime: 'runsc' }) as const;

// proves: exec.runsc
execConformance(
  'runsc',
  async () => {
    const parts = timelessParts();
    const options = { ...parts, dockerHost: engine, pool: 1, runtime: 'runsc' } as const;
    return { ...parts, sandbox: await openDockerSandbox(options) };
  },
  { parts: ['ends'], full: ['results', 'ends', 'tools'], oneLanguage: true },
);

// proves: exec.runsc
test("a program there stands on a kernel that is not the machine's, and its files are counted by the machine", async () => {
  // Each file costs its kernel milliseconds.
  const profile = { ...defaultProfile, inodes: 500 };
  await using sandbox = await openDockerSandbox({ ...bySandbox(), profile });
  const code = `import os
print(open("/proc/version").read().split()[2])
for path in ("/work", "/tmp", "/out"):
    try:
        for number in range(1_000): open(f"{path}/{number}", "w").close()
    except OSError as error: print(path, number < 501, error.strerror)`;
  const { envelope } = await ran(sandbox, request('python', code));
  expect(envelope.error).toBe(null);
  const [kernel, ...lines] = envelope.user_out_tail.trim().split('\n');
  expect(kernel).toBe('4.4.0');
  const full = (path: string) => `${path} True No space left on device`;
  expect(lines).toEqual(['/work', '/tmp', '/out'].map(full));
});

// proves: exec.runsc
test('every wall is tried before it is taken, and stands', async () => {
  await using own = new Scope();
  const limits = { ...unsaid, runtime: 'runsc' } as const;
  const options = { ...sandboxParts(), dockerHost: engine, limits, scope: own } as const;
  const { sandbox, tried } = await openSandbox({ ...options, mode: 'auto' });
  expect(tried).toEqual([]);
  expect(sandbox?.backend).toBe('docker');
});

describe('what runsc could not be used with', () => {
  // proves: exec.runsc
  test('an engine that runs it without what programs need is refused, with what to add', async () => {
    await using own = new Scope();
    const { runsc } = gvisor;
    const bare = { ...runsc, runtimeArgs: ['--platform=ptrace'] };
    const { host } = own.own(await startDocker({ runsc: bare }, { hasImage: false }));
    const refused = await refusalOf(openDockerSandbox({ ...bySandbox(), dockerHost: host }));
    expect(refused.code).toBe('runtime_unfit');
    expect(refused.message).toContain(
      'add --network=none and --host-uds=open to its "runtimeArgs"',
    );
    const limits = { ...unsaid, runtime: 'runsc' } as const;
    const options = {
      ...sandboxParts(),
      dockerHost: host,
      limits,
      scope: own,
      mode: 'auto',
    } as const;
    const { sandbox, refusal } = await openSandbox(options);
    expect(sandbox).toBe(undefined);
    expect(refusal).toContain('--host-uds=open');
  });

  // proves: exec.runsc
  test('one container for program and supervisor is refused before anything is made', async () => {
    const refused = await refusalOf(openDockerSandbox({ ...bySandbox(), layout: 'combined' }));
    expect(refused.code).toBe('runtime_unfit');
    expect(refused.message).toContain('remove `docker: combined`');
  });
});

async function refusalOf(opening: Promise<unknown>) {
  const refused: unknown = await opening.catch((error: unknown) => error);
  if (!isRefusal(refused)) throw new Error('it was not refused');
  return refused;
}

// proves: exec.runsc
test('nothing of it is left behind', async () => {
  const docker = new Docker({ socketPath: engine.replace('unix://', '') });
  const sandbox = await openDockerSandbox(bySandbox());
  const limits = { ...noLimits, memoryMb: 128 };
  const bomb = 'held = []\nwhile True: held.append(bytearray(1 << 20))';
  const { envelope } = await ran(sandbox, request('python', bomb, { limits }));
  expect(envelope.error?.code).toBe('memory_limit');
  await sandbox[Symbol.asyncDispose]();
  expect(await docker.listContainers({ all: true })).toEqual([]);
  const { Volumes } = await docker.listVolumes();
  expect(Volumes.map(({ Name }) => Name)).toEqual([]);
});
