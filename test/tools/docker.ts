import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';

/** For the engine alone, and for it with all images that a test needs: on a machine that is busy with much else. */
const startMsMax = 100_000;
export const engineMsMax = 600_000;
const run = promisify(execFile);

export type TestDocker = AsyncDisposable & {
  /** As DOCKER_HOST is written. */
  readonly host: string;
};

/** It takes no hybrid of both versions of cgroups: it is shown the first alone, if there are both. */
const crun = `#!/bin/sh
exec unshare --mount --propagation slave sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"' crun "$@"
`;

/** A runtime as an engine is told of it. */
type Runtime = { readonly path: string; readonly runtimeArgs?: readonly string[] };

/** gVisor as programs need it; the machine has to have it (Debian: runsc). */
export const gvisor = {
  runsc: {
    path: '/usr/bin/runsc',
    runtimeArgs: ['--platform=ptrace', '--network=none', '--host-uds=open'],
  },
} as const satisfies Readonly<Record<string, Runtime>>;

/** A Docker engine of our own with the base image and a second runtime, crun, in it, touching nothing of the machine's. Needs root. */
export async function startDocker(
  more: Readonly<Record<string, Runtime>> = {},
): Promise<TestDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-dockerd-'));
  const socket = join(folder, 'docker.sock');
  const host = `unix://${socket}`;
  const log = openSync(join(folder, 'log'), 'w');
  const flags = ['--data-root', '--exec-root', '--pidfile'].flatMap((flag) => [
    flag,
    join(folder, flag.slice(2)),
  ]);
  const runtime = join(folder, 'crun');
  const config = join(folder, 'daemon.json');
  await writeFile(runtime, crun, { mode: 0o755 });
  await writeFile(config, JSON.stringify({ runtimes: { crun: { path: runtime }, ...more } }));
  const bare = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
  const daemon = spawn('dockerd', ['--host', host, ...flags, ...bare, '--config-file', config], {
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const stop = async () => {
    await ended(daemon);
    // What containers on the host's network leave behind; without them it is not mounted.
    await run('umount', [join(folder, 'exec-root/netns/default')]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await answers(new Docker({ socketPath: socket }), daemon, join(folder, 'log'));
    const env = { ...process.env, DOCKER_HOST: host };
    await run(process.execPath, ['deploy/make-base-image.mjs'], { env });
  } catch (error) {
    await stop();
    throw error;
  }
  return { host, [Symbol.asyncDispose]: stop };
}

async function answers(docker: Docker, daemon: ChildProcess, log: string): Promise<void> {
  await once(daemon, 'spawn');
  const until = performance.now() + startMsMax;
  for (;;) {
    const there = await docker.ping().then(
      () => true,
      () => false,
    );
    if (there) return;
    if (daemon.exitCode !== null || performance.now() > until) {
      throw new Error(`dockerd did not start:\n${(await readFile(log, 'utf8')).slice(-2_000)}`);
    }
    await setTimeout(50);
  }
}

async function ended(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.pid === undefined) return;
  const exit = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await exit;
}
