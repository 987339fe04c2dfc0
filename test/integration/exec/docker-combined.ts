import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labelNames, reap } from '../../../runtime/adapters/docker/reap.ts';
import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import type { ExecEnvelope, Sandbox } from '../../../runtime/tools/ports/sandbox.ts';
import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import { supervisorUid } from '../../../supervisor/cell/slots.ts';
import {
  contract,
  delivered,
  echoHost,
  noLimits,
  request,
  ran as runs,
  sandboxParts,
} from './kit.ts';

/** What one container for both adds to what every backend promises. */
export function combinedSuite(engine: () => string): void {
  const parts = sandboxParts();
  const filters = { label: [labelNames.owner] };
  let docker: Docker;
  let sandbox: Sandbox & AsyncDisposable;
  beforeAll(async () => {
    docker = new Docker({ socketPath: engine().replace('unix://', '') });
    const profile = { ...defaultProfile, cpus: 0.5, inodes: 500 };
    const options = { ...parts, dockerHost: engine(), layout: 'combined', profile } as const;
    sandbox = await openDockerSandbox(options);
  });
  afterAll(async () => {
    await sandbox[Symbol.asyncDispose]();
    expect(await docker.listContainers({ all: true, filters })).toEqual([]);
    expect((await docker.listVolumes({ filters })).Volumes).toEqual([]);
  });

  type Act = (container: Docker.Container) => Promise<unknown>;

  /** Runs it; `await room.act()` in it does something to the container. */
  async function ran(code: string, act?: Act): Promise<ExecEnvelope> {
    const program = `import os\nact = tools.room.act\nopen("/out/outputs/a.txt", "w").write("a")\n${code}`;
    const asked = { contract: contract('outputs/a.txt'), granted: ['room.act'] };
    const callTool = async () => {
      await act?.(await only());
      return { ok: true, ret: null } as const;
    };
    const host = { ...echoHost, callTool };
    return (await runs(sandbox, request('python', program, asked), { host })).envelope;
  }

  async function only(): Promise<Docker.Container> {
    const [found] = await docker.listContainers({ filters });
    if (found === undefined) throw new Error('there is no container');
    return docker.getContainer(found.Id);
  }

  // proves: i6.neighbours
  describe('one container for both', () => {
    test('there are two users, none of them root, and nobody has a right or can get one', async () => {
      const words = 'Uid Gid Groups CapInh CapPrm CapEff CapBnd CapAmb NoNewPrivs'.split(' ');
      const envelope = await ran(`import json
for pid in sorted((p for p in os.listdir("/proc") if p.isdigit()), key=int):
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    print(json.dumps([status[w].split() for w in ${JSON.stringify(words)}]))`);
      const all = envelope.user_out_tail.trim().split('\n').map(parsed);
      const uids = all.map(([uid]) => uid?.[0] ?? '');
      expect(all).toEqual(uids.map((uid) => poor(uid)));
      expect(new Set(uids).size).toBe(2);
      expect(uids.filter((uid) => uid === String(supervisorUid))).toHaveLength(1);
      expect(uids).not.toContain('0');
    });

    test('the container is as closed, as small and as labelled as the profile says', async () => {
      const found: Docker.ContainerInspectInfo[] = [];
      const look: Act = async (container) => found.push(await container.inspect());
      const code = 'await act()\nprint(os.statvfs("/out").f_files, os.statvfs("/work").f_files)';
      expect((await ran(code, look)).user_out_tail).toBe('500 500\n');
      const labels = Object.keys(found[0]?.Config.Labels ?? {});
      expect(labels).toEqual(expect.arrayContaining(Object.values(labelNames)));
      expect(found[0]?.HostConfig).toMatchObject({
        ReadonlyRootfs: true,
        CapAdd: null,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        NetworkMode: 'none',
        PidMode: '',
        IpcMode: 'private',
        Init: false,
        Privileged: false,
        NanoCpus: 5e8,
        Memory: (noLimits.memoryMb + 128) * 1024 ** 2,
        MemorySwap: (noLimits.memoryMb + 128) * 1024 ** 2,
        PidsLimit: 64 + 16 + 16,
      });
    });

    test('neither can write, or look, where the other can', async () => {
      const said: string[] = [];
      const asSupervisor: Act = async (container) => {
        const run = `for place in /out /work /tmp /collect/out /inputs /opt/timeloom; do
          touch $place/x && echo wrote $place; ls $place/outputs && echo saw $place
        done 2>/dev/null; touch /run/timeloom/x && echo own`;
        said.push(await execute(container, ['/bin/sh', '-c', run]));
      };
      const envelope = await ran(
        `for place in ("/run/timeloom", "/inputs", "/collect", "/opt/timeloom", "/collect/out"):
    try: open(f"{place}/x", "w"); print("wrote", place)
    except OSError: pass
for place in ("/inputs", "/collect"):
    try: print("saw", os.listdir(place))
    except OSError: pass
await act()`,
        asSupervisor,
      );
      expect(envelope).toMatchObject({ ok: true, user_out_tail: '' });
      expect(said.join('').trim().split('\n')).toEqual([expect.stringMatching(/own$/)]);
    });

    const endings: Readonly<Record<string, Act>> = {
      supervisor: (container) => execute(container, ['/bin/sh', '-c', 'kill -9 -1']),
      guard: (container) => container.kill(),
    };
    // proves: exec.docker-combined
    test.each(Object.keys(endings))('whose %s is killed is lost', async (who) => {
      const envelope = await ran('await act()\nimport time; time.sleep(60)', endings[who]);
      expect(envelope).toMatchObject({ ok: false, kill_reason: 'lost' });
    });

    test('a program cannot end its guard, and its own end is reported', async () => {
      const envelope = await ran(`import signal, sys
for number in range(1, 65):
    try: os.kill(1, number)
    except OSError: pass
os.set_blocking(1, False); os.set_blocking(2, False)
for out in (1, 2):
    try:
        while True: os.write(out, b"x" * 4096)
    except BlockingIOError: pass
os._exit(3)`);
      expect(envelope.error?.message).toMatch(/exit code 3/);
      expect(await delivered(envelope, parts.blobs)).toBe('a');
    });

    // proves: i6.guarded
    test('a program cannot damage its guard, and its own end is reported', async () => {
      const envelope = await ran(`import os, resource, sys
for spoil in (
    lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0)),
    lambda: resource.prlimit(1, resource.RLIMIT_AS, (0, 0)),
    lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)),
    lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
    lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
    lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),
    lambda: os.sched_setaffinity(1, {0}),
):
    try: print("spoilt", spoil())
    except PermissionError: pass
os._exit(3)`);
      expect(envelope).toMatchObject({ user_out_tail: '', kill_reason: null });
      expect(envelope.error?.message).toMatch(/exit code 3/);
      expect(await delivered(envelope, parts.blobs)).toBe('a');
    });

    // proves: exec.reaped
    test('what a killed worker leaves ends on its own, and is removed', async () => {
      const worker = spawn(
        process.execPath,
        ['--import', 'tsx', join(import.meta.dirname, 'docker-worker.ts'), engine()],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(worker.stdout, 'data');
      const container = await only();
      const ended = container.wait();
      const exit = once(worker, 'exit');
      worker.kill('SIGKILL');
      await Promise.all([ended, exit]);
      expect(await reap(docker, { nowMs: Date.now() })).toBe(5);
    });
  });

  /** What a process says that runs in the container as the supervisor does. */
  async function execute(container: Docker.Container, Cmd: string[]): Promise<string> {
    const User = String(supervisorUid);
    const exec = await container.exec({ Cmd, User, AttachStdout: true, AttachStderr: true });
    return text(await exec.start({}));
  }
}

function parsed(line: string): readonly (readonly string[])[] {
  return JSON.parse(line);
}

function poor(uid: string): readonly (readonly string[])[] {
  const same = [uid, uid, uid, uid];
  const none = ['0000000000000000'];
  return [same, same, [uid], none, none, none, none, none, ['1']];
}
