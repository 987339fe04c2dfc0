import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { leaveRunning, runFolder, stopServer } from '../run-folder.ts';
import { isFullMatrix } from '../runs.ts';
import { hostOf, type Runtime, socketOf, startEngine } from './docker-engine.ts';
import { importBase, shareImages } from './docker-images.ts';
import { takeLock } from './lock.ts';

/** For an engine with all images that a test needs and for its turn, which in the long run comes late. */
export const engineMsMax = isFullMatrix ? 3_600_000 : 600_000;

export type TestDocker = AsyncDisposable & {
  /** As DOCKER_HOST is written. */
  readonly host: string;
};

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
  if (hasImage) await importBase(folder);
  return { host: hostOf(folder), [Symbol.asyncDispose]: () => stopServer(folder, daemon.pid ?? 0) };
}

/**
 * An engine of the test run, with crun and gVisor, for one file at a time. It has the images of sandboxes, and keeps the
 * images that files make. The run stops it; containers and volumes that a file leaves in it are removed before the next
 * file begins.
 */
export async function openDocker(name = 'dockerd'): Promise<TestDocker> {
  for (let number = 1; ; number += 1) {
    const folder = join(runFolder(), `${name}-${number}`);
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
  await rm(folder, { recursive: true, force: true });
  const hasImages = await shareImages(folder);
  await mkdir(folder, { recursive: true });
  const daemon = await startEngine(folder, gvisor);
  daemon.unref();
  await leaveRunning(`dockerd-${daemon.pid}`, { pid: daemon.pid ?? 0, folder });
  if (!hasImages) await importBase(folder);
}

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
