import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { patient } from '../machine-speed.ts';
import { leaveRunning, runFolder, stopServer } from '../run-folder.ts';
import { isFullMatrix } from '../runs.ts';
import { takeLock } from './lock.ts';
import { MissingService, onPath } from './services.ts';

/** For the engine alone, and for it with all images that a test needs and for its turn, which in the long run comes late. */
const startMsMax = patient(100_000);
export const engineMsMax = isFullMatrix ? 3_600_000 : 600_000;
const run = promisify(execFile);

export type TestDocker = AsyncDisposable & {
  /** As DOCKER_HOST is written. */
  readonly host: string;
};

/** It takes no hybrid of both versions of cgroups: it is shown the first alone, if there are both. */
const crun = `#!/bin/sh
exec unshare --mount --propagation slave sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec crun "$@"' crun "$@"
`;

/** A runtime as in the configuration of an engine. */
type Runtime = { readonly path: string; readonly runtimeArgs?: readonly string[] };

/** gVisor as programs need it; the machine has to have it (Debian: runsc). */
export const gvisor = {
  runsc: {
    path: '/usr/bin/runsc',
    runtimeArgs: ['--platform=ptrace', '--network=none', '--host-uds=open'],
  },
} as const satisfies Readonly<Record<string, Runtime>>;

/** A Docker engine of our own with a second runtime, crun, touching nothing of the machine's. Needs root. */
export async function startDocker(
  more: Readonly<Record<string, Runtime>> = {},
  { hasImage = true }: { hasImage?: boolean } = {},
): Promise<TestDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-dockerd-'));
  const daemon = await startEngine(folder, more);
  if (hasImage) await importImage(folder);
  return { host: hostOf(folder), [Symbol.asyncDispose]: () => stopServer(folder, daemon.pid ?? 0) };
}

/**
 * An engine of the test run, with crun and gVisor, for one file at a time: images are made once for each. The run stops
 * it; what a file leaves in it is removed before the next one begins.
 */
export async function openDocker(): Promise<TestDocker> {
  for (let number = 1; ; number += 1) {
    const folder = join(runFolder(), `dockerd-${number}`);
    const lock = `${folder}.lock`;
    if (!(await takeLock(lock))) continue;
    try {
      await ready(folder);
    } catch (error) {
      await rm(lock);
      throw error;
    }
    return { host: hostOf(folder), [Symbol.asyncDispose]: () => rm(lock) };
  }
}

async function ready(folder: string): Promise<void> {
  if (await isUp(folder)) {
    await clean(folder);
    return;
  }
  await mkdir(folder);
  const daemon = await startEngine(folder, gvisor);
  daemon.unref();
  await leaveRunning(`dockerd-${daemon.pid}`, { pid: daemon.pid ?? 0, folder });
  await importImage(folder);
}

async function startEngine(
  folder: string,
  more: Readonly<Record<string, Runtime>>,
): Promise<ChildProcess> {
  if (!onPath('dockerd')) throw new MissingService('dockerd is missing: apt-get install docker.io');
  const log = openSync(join(folder, 'log'), 'w');
  const flags = ['--data-root', '--exec-root', '--pidfile'].flatMap((flag) => [
    flag,
    join(folder, flag.slice(2)),
  ]);
  const runtime = join(folder, 'crun');
  const config = join(folder, 'daemon.json');
  await writeFile(runtime, crun, { mode: 0o755 });
  await writeFile(config, JSON.stringify({ runtimes: { crun: { path: runtime }, ...more } }));
  const host = hostOf(folder);
  const bare = ['--iptables=false', '--ip6tables=false', '--bridge=none'];
  const daemon = spawn('dockerd', ['--host', host, ...flags, ...bare, '--config-file', config], {
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  try {
    await answers(new Docker({ socketPath: socketOf(folder) }), daemon, join(folder, 'log'));
    return daemon;
  } catch (error) {
    await stopServer(folder, daemon.pid ?? 0);
    throw error;
  }
}

async function importImage(folder: string): Promise<void> {
  const env = { ...process.env, DOCKER_HOST: hostOf(folder) };
  await run(process.execPath, ['deploy/images/make-base-image.mjs'], { env });
}

const socketOf = (folder: string) => join(folder, 'docker.sock');
const hostOf = (folder: string) => `unix://${socketOf(folder)}`;

async function isUp(folder: string): Promise<boolean> {
  return await new Docker({ socketPath: socketOf(folder) }).ping().then(
    () => true,
    () => false,
  );
}

async function clean(folder: string): Promise<void> {
  const docker = new Docker({ socketPath: socketOf(folder) });
  for (const { Id } of await docker.listContainers({ all: true })) {
    await docker.getContainer(Id).remove({ force: true, v: true });
  }
  for (const { Name } of (await docker.listVolumes()).Volumes) {
    await docker.getVolume(Name).remove({ force: true });
  }
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
