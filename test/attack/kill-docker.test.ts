import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labelNames, reap } from '../../runtime/adapters/docker/reap.ts';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { toExecLimits } from '../../runtime/tools/exec/program-limits.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { startDocker } from '../tools/docker.ts';
import { startPostgres } from '../tools/services.ts';
import { killExecutors } from './kill-executors.ts';
import { kills, randoms } from './kill-plan.ts';
import { killWorkers } from './kill-turns.ts';

// proves: exec.in-doubt, exec.killed, exec.reaped, i6.not-believed

const scope = new Scope();
const filters = { label: [labelNames.owner] };
let dir: string;
let dockerHost: string;
let docker: Docker;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-kill-docker-'));
  scope.defer(() => rm(dir, { recursive: true }));
  dockerHost = scope.own(await startDocker()).host;
  docker = new Docker({ socketPath: dockerHost.replace('unix://', '') });
}, 120_000);
afterAll(() => scope[Symbol.asyncDispose]());

/** PID 1 of every container of this name that runs, as the host counts. */
async function first(hostname: 'sandbox' | 'supervisor'): Promise<readonly number[]> {
  const all = await docker.listContainers({ filters });
  const pids = all.map(async ({ Id }) => {
    const found = await docker
      .getContainer(Id)
      .inspect()
      .catch(() => undefined);
    return found?.Config.Hostname === hostname ? found.State.Pid : 0;
  });
  return (await Promise.all(pids)).filter((pid) => pid > 0);
}

async function left(): Promise<number> {
  const { Volumes: volumes } = await docker.listVolumes({ filters });
  return volumes.length + (await docker.listContainers({ all: true, filters })).length;
}

async function killAll(
  hostname: 'sandbox' | 'supervisor',
  options: { kills: number; salt: number },
) {
  const place = join(dir, hostname);
  await mkdir(place);
  {
    await using sandbox = await openDockerSandbox({ ...sandboxParts(), dockerHost, pool: 2 });
    sandbox.keep?.([{ language: 'python', limits: toExecLimits() }]);
    const random = randoms(options.salt);
    const way = { sandbox, dir: place, random, pauseMs: 600, victims: () => first(hostname) };
    await killExecutors({ ...way, kills: options.kills });
  }
  expect(await left()).toBe(0);
}

test('containers of executors killed at any moment: no effect twice, every doubt told, nothing left', async () => {
  await killAll('sandbox', { kills: kills.dockerExecutors, salt: 3 });
}, 3_600_000);

test('containers of supervisors killed at any moment: the same', async () => {
  await killAll('supervisor', { kills: kills.dockerSupervisors, salt: 4 });
}, 3_600_000);

test('workers that use Docker killed at any moment: taken over, and their containers are gone at the first look', async () => {
  const place = join(dir, 'workers');
  await mkdir(place);
  const { url } = scope.own(await startPostgres());
  const random = randoms(5);
  const lifeMs = () => random.next().value * 400;
  await killWorkers({ url, dir: place, dockerHost, kills: kills.dockerWorkers, lifeMs });
  await reap(docker, { nowMs: Date.now() });
  expect(await left()).toBe(0);
}, 3_600_000);
