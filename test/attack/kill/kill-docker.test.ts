import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { DockerLayout } from '../../../runtime/adapters/docker/engine/images.ts';
import { labelNames, reap } from '../../../runtime/adapters/docker/reap.ts';
import { openDockerSandbox } from '../../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { toExecLimits } from '../../../runtime/tools/exec/program/program-limits.ts';
import { sandboxParts } from '../../integration/exec/kit.ts';
import { engineMsMax, openDocker } from '../../tools/services/docker.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { killExecutors } from './executors.ts';
import { kills, limitMs, lives, randoms } from './kill-plan.ts';
import { buildWorker } from './spawn-worker.ts';
import { killWorkers } from './turns.ts';

// proves: exec.in-doubt, exec.killed, exec.reaped, i6.not-believed

const scope = new Scope();
const filters = { label: [labelNames.owner] };
let dir: string;
let dockerHost: string;
let docker: Docker;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-kill-docker-'));
  scope.defer(() => rm(dir, { recursive: true }));
  dockerHost = scope.own(await openDocker()).host;
  docker = new Docker({ socketPath: dockerHost.replace('unix://', '') });
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

/** PID 1 of every container of this name that runs, as the host counts. */
async function first(hostname: 'sandbox' | 'supervisor'): Promise<readonly number[]> {
  const all = await docker.listContainers({ filters });
  return (await Promise.all(all.map(({ Id }) => firstIn(Id, hostname)))).flat();
}

async function firstIn(id: string, hostname: string): Promise<readonly number[]> {
  try {
    const { Config, State } = await docker.getContainer(id).inspect();
    return Config.Hostname === hostname && State.Pid > 0 ? [State.Pid] : [];
  } catch {
    // It has ended since.
    return [];
  }
}

/** Every process in a container, as the host counts: guard, supervisor and program. */
async function everybody(): Promise<readonly number[]> {
  const all = await docker.listContainers({ filters });
  return (await Promise.all(all.map(({ Id }) => everybodyIn(Id)))).flat();
}

async function everybodyIn(id: string): Promise<readonly number[]> {
  const ended = () => undefined;
  const said: unknown = await docker.getContainer(id).top().catch(ended);
  if (said === undefined) return [];
  const { Titles, Processes } = Listed.parse(said);
  // Null: its last process has ended meanwhile.
  return (Processes ?? []).map((row) => Number(row[Titles?.indexOf('PID') ?? 1]));
}

const Listed = z.object({
  Titles: z.array(z.string()).nullable(),
  Processes: z.array(z.array(z.string())).nullable(),
});

async function left(): Promise<number> {
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  return volumes.length + (await docker.listContainers({ all: true, filters })).length;
}

async function killAll(
  count: number,
  options: { layout?: DockerLayout; salt: number; victims: () => Promise<readonly number[]> },
) {
  const { layout = 'split', salt, victims } = options;
  const place = await mkdtemp(join(dir, 'executors-'));
  {
    const parts = { ...sandboxParts(), dockerHost, layout };
    await using sandbox = await openDockerSandbox({ ...parts, pool: 2 });
    sandbox.keep?.([{ language: 'python', limits: toExecLimits() }]);
    const way = { sandbox, dir: place, random: randoms(salt), pauseMs: 600, victims };
    await killExecutors({ ...way, kills: count });
  }
  expect(await left()).toBe(0);
}

test('containers of executors killed at any moment: no effect twice, every doubt reported, nothing left', {
  timeout: limitMs(kills.dockerExecutors),
}, async () => {
  await killAll(kills.dockerExecutors, { salt: 3, victims: () => first('sandbox') });
});

test('containers of supervisors killed at any moment: the same', {
  timeout: limitMs(kills.dockerSupervisors),
}, async () => {
  await killAll(kills.dockerSupervisors, { salt: 4, victims: () => first('supervisor') });
});

test('guard, supervisor or program of a combined container killed at any moment: the same', {
  timeout: limitMs(kills.dockerCombined),
}, async () => {
  await killAll(kills.dockerCombined, { layout: 'combined', salt: 6, victims: everybody });
});

test('workers that use Docker killed at any moment: taken over, and their containers are gone at the first look', {
  timeout: limitMs(kills.dockerWorkers),
}, async () => {
  const place = join(dir, 'workers');
  await mkdir(place);
  const url = await openDatabase();
  const start = await buildWorker(place);
  const backend = { kind: 'docker', host: dockerHost } as const;
  const way = { url, dir: place, backend, start, kills: kills.dockerWorkers };
  await killWorkers({ ...way, lives: lives(randoms(5), 3_000) });
  await reap(docker, { nowMs: Date.now() });
  expect(await left()).toBe(0);
});
