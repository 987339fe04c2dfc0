import { readlink } from 'node:fs/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOwner } from '../../../runtime/adapters/docker/owner.ts';
import { reap, toLabels } from '../../../runtime/adapters/docker/reap.ts';
import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import { isRefusal } from '../../../runtime/base/refusal.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { isFullMatrix } from '../../tools/runs.ts';
import { engineMsMax, openDocker, startDocker } from '../../tools/services/docker.ts';
import { cellParts, execConformance } from './cases/conformance.ts';
import { combinedSuite } from './docker-combined.ts';
import {
  echoHost,
  never,
  noLimits,
  ran,
  request,
  sandboxParts,
  timelessParts,
  unsaid,
} from './kit.ts';

// proves: exec.docker, exec.auto

const scope = new Scope();
let engine: string;
beforeAll(async () => {
  engine = scope.own(await openDocker()).host;
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

execConformance(
  'Docker',
  async () => {
    const parts = timelessParts();
    const sandbox = await openDockerSandbox({ ...parts, dockerHost: engine });
    return { ...parts, sandbox };
  },
  { parts: cellParts, oneLanguage: true, concurrent: true },
);

// proves: exec.docker-combined
execConformance(
  'Docker combined',
  async () => {
    const parts = timelessParts();
    const options = { ...parts, dockerHost: engine, layout: 'combined' } as const;
    return { ...parts, sandbox: await openDockerSandbox(options), together: true };
  },
  // Results and handles cross as files do, what is left is in the same archive, and libraries are those of the same image.
  { parts: ['files', 'ends'], oneLanguage: true, concurrent: true },
);

// proves: exec.runtime
describe.each(['split', 'combined'] as const)('%s, by another runtime', (layout) => {
  // One layout shows at every change that the runtime is asked alike.
  if (isFullMatrix || layout === 'split') {
    execConformance(
      'crun',
      async () => {
        const parts = timelessParts();
        const options = { ...parts, dockerHost: engine, layout, runtime: 'crun' } as const;
        const sandbox = await openDockerSandbox(options);
        return { ...parts, sandbox, ...(layout === 'combined' && { together: true as const }) };
      },
      layout === 'split'
        ? {
            parts: ['files'],
            full: ['files', 'left', 'edges'],
            oneLanguage: true,
            concurrent: true,
          }
        : { parts: ['results'], oneLanguage: true, concurrent: true },
    );
  }

  test('the programs of such a sandbox have that runtime, and their supervisors the usual one', async () => {
    const docker = new Docker({ socketPath: engine.replace('unix://', '') });
    const options = { ...sandboxParts(), dockerHost: engine, layout, runtime: 'crun' } as const;
    await using sandbox = await openDockerSandbox(options);
    const runtimes: string[] = [];
    const callTool = async () => {
      for (const { Id } of await docker.listContainers()) {
        const { Config, HostConfig } = await docker.getContainer(Id).inspect();
        runtimes.push(`${Config.Hostname} ${HostConfig.Runtime}`);
      }
      return { ok: true, ret: null } as const;
    };
    const asked = request('python', 'await tools.room.act()', { granted: ['room.act'] });
    const { envelope } = await ran(sandbox, asked, { host: { ...echoHost, callTool } });
    expect(envelope.error).toBe(null);
    const program = 'sandbox crun';
    expect(runtimes.sort()).toEqual(layout === 'split' ? [program, 'supervisor runc'] : [program]);
  });
});

// The engine loses some of its kernel's words about memory: of this end it had none to lose.
test('a program that is killed, and not by us, is taken for one that wanted too much memory', async () => {
  const docker = new Docker({ socketPath: engine.replace('unix://', '') });
  await using sandbox = await openDockerSandbox({ ...sandboxParts(), dockerHost: engine });
  const callTool = async () => {
    const there = await docker.listContainers();
    const all = await Promise.all(there.map(({ Id }) => docker.getContainer(Id).inspect()));
    const [program] = all.filter(({ Config }) => Config.Hostname === 'sandbox');
    await docker.getContainer(program?.Id ?? '').kill();
    return { ok: true, ret: null } as const;
  };
  const asked = request('python', 'await tools.room.act()', { granted: ['room.act'] });
  const { envelope } = await ran(sandbox, asked, { host: { ...echoHost, callTool } });
  expect(envelope).toMatchObject({ kill_reason: 'memory', error: { code: 'memory_limit' } });
});

describe('Docker combined, of its own', () => combinedSuite(() => engine));

// proves: exec.docker-combined-chosen
test.each([
  [undefined, 'docker'],
  ['combined', 'docker-combined'],
] as const)('auto takes Docker when it answers; said of it: %s', async (docker, backend) => {
  await using own = new Scope();
  const limits = { ...unsaid, docker };
  const options = { ...sandboxParts(), limits, dockerHost: engine, scope: own };
  const { sandbox, tried } = await openSandbox({ ...options, mode: 'auto' });
  expect(tried).toEqual([]);
  expect(sandbox?.backend).toBe(backend);
});

const early = [
  { files: 'attachments and files of the turn', read: 'attachments/a.txt', folders: [] },
  {
    files: 'pulled files of a turn that was announced',
    read: 'turn_1/outputs/a.txt',
    folders: ['turn_1'],
  },
] as const;

// proves: exec.docker-inputs-warm
test.each(early)(
  '$files come to an executor that was there before them',
  async ({ read, folders }) => {
    const parts = sandboxParts();
    await using sandbox = await openDockerSandbox({ ...parts, dockerHost: engine });
    using _ = sandbox.prepare?.({ language: 'python', limits: noLimits, folders });
    await expect.poll(rooms).toHaveLength(1);
    const [room] = await rooms();
    const input = async (filepath: string, writable: boolean) => {
      const bytes = Buffer.from(`bytes of ${filepath}`);
      return { filepath, writable, blob: await parts.blobs.put('test', bytes, { signal: never }) };
    };
    const inputs = [await input(read, false), await input('files/b.txt', true)];
    const { envelope } = await ran(sandbox, request('python', readsBoth(read), { inputs }));
    const said = `bytes of ${read} bytes of files/b.txt [Errno 30] True ${room}`;
    expect(envelope.user_out_tail).toBe(said);
  },
);

/** Of every executor that runs, the space of processes: each has one of its own. */
async function rooms(): Promise<readonly string[]> {
  const docker = new Docker({ socketPath: engine.replace('unix://', '') });
  const there = await docker.listContainers();
  const all = await Promise.all(there.map(({ Id }) => docker.getContainer(Id).inspect()));
  const programs = all.filter(({ Config }) => Config.Hostname === 'sandbox');
  return Promise.all(programs.map(({ State }) => readlink(`/proc/${State.Pid}/ns/pid`)));
}

/** Both files, what comes of writing into the first, whose it is, and in which executor. */
const readsBoth = (path: string) => `import os
text = [open(f"/out/{name}").read() for name in ("${path}", "files/b.txt")]
try: open("/out/${path}", "w")
except OSError as error: text.append(str(error)[:10])
text.append(str(os.stat("/out/${path}").st_uid == 0))
print(*text, os.readlink("/proc/self/ns/pid"), end="")`;

// proves: exec.profile
test('a runtime that the engine does not know is refused with what to do, and no other taken', async () => {
  await using own = new Scope();
  const { host } = own.own(await startDocker({}, { hasImage: false }));
  const options = { ...sandboxParts(), dockerHost: host };
  const refused: unknown = await openDockerSandbox({ ...options, runtime: 'runsc' }).catch(
    (error: unknown) => error,
  );
  if (!isRefusal(refused)) throw new Error('it was not refused');
  expect(refused.code).toBe('runtime_missing');
  expect(refused.message).toMatch(
    /no runtime runsc, only .*runc; install it and add it to the engine/,
  );
  const limits = { ...unsaid, runtime: 'runsc' } as const;
  const opened = await openSandbox({ ...options, limits, scope: own, mode: 'auto' });
  expect(opened.refusal).toMatch(/--host-uds=open.*correct exec in/);
});

// proves: exec.reaped
test('what a dead owner left is removed, and what is past its deadline of one that cannot be seen', async () => {
  const docker = new Docker({ socketPath: engine.replace('unix://', '') });
  const make = async (cell: string, owner: string, deadlineMs: number) => {
    const Labels = toLabels({ cell, owner, deadlineMs });
    await docker.createVolume({ Name: `volume-${cell}`, Labels });
    const Image = 'timeloom-base:bookworm';
    await docker.createContainer({ Image, name: cell, Cmd: ['true'], Labels });
  };
  const [early, late] = [Date.now() + 3_600_000, Date.now() - 3_600_000];
  const dead = await openOwner();
  await dead[Symbol.asyncDispose]();
  await using alive = await openOwner();
  await make('of-the-dead', dead.name, early);
  await make('of-the-living', alive.name, late);
  await make('of-another-owner', 'elsewhere/1', early);
  await make('late-of-another-owner', 'elsewhere/2', late);
  expect(await reap(docker, { nowMs: Date.now() })).toBe(4);
  const names = (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names);
  expect(names.filter((name) => name.startsWith('/of-')).sort()).toEqual([
    '/of-another-owner',
    '/of-the-living',
  ]);
  const { Volumes } = await docker.listVolumes();
  expect(Volumes.map(({ Name }) => Name).filter((name) => name.includes('late'))).toEqual([]);
});
