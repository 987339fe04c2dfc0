import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reap } from '../../../runtime/adapters/fargate/executions/reap.ts';
import {
  heartbeatTtlMs,
  orphanGraceMs,
} from '../../../runtime/adapters/fargate/settings/limits.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openFargate } from '../../../runtime/cli/sandbox/open-fargate.ts';
import { toExecLimits } from '../../../runtime/tools/exec/program/program-limits.ts';
import { never, ran, request, sandboxParts } from '../../integration/exec/kit.ts';
import { openAws, openFargatePlace, type Place, placesOf } from '../../tools/aws/place.ts';
import { inContainers } from '../../tools/aws/tasks.ts';
import { engineMsMax } from '../../tools/services/docker.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { killExecutors } from './executors.ts';
import { kills, limitMs, lives, randoms } from './kill-plan.ts';
import { buildWorker } from './spawn-worker.ts';
import { killWorkers } from './turns.ts';

// proves: exec.in-doubt, exec.killed, exec.fargate-clean, exec.fargate-reaped, i6.not-believed

/** Workers that die before somebody looks for what they left: their tasks run until then. */
const killsAtOnce = 4;

const scope = new Scope();
let dir: string;
let place: Place;
let docker: Docker;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'timeloom-kill-fargate-'));
  scope.defer(() => rm(dir, { recursive: true }));
  place = await openFargatePlace(scope);
  docker = place.task().docker;
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

/** Containers of tasks; the one that holds their network is none. */
async function containers(): Promise<readonly Docker.ContainerInfo[]> {
  const all = await docker.listContainers({ all: true });
  return all.filter(({ Image }) => Image.startsWith('timeloom-fargate-'));
}

/** PID 1 of every supervisor, keeper and executor that runs, as the host counts. */
async function victims(): Promise<readonly number[]> {
  const found = (await containers()).map(({ Id }) => docker.getContainer(Id).inspect());
  const all = await Promise.allSettled(found);
  const pids = all.map((one) => (one.status === 'fulfilled' ? one.value.State.Pid : 0));
  return pids.filter((pid) => pid > 0);
}

/** Everything that is there and should not be, as the services see it and as the engine does. */
async function left(): Promise<readonly string[]> {
  const { Volumes: volumes } = await docker.listVolumes();
  return [
    ...place.tasks.running(),
    ...place.secrets.kept.keys(),
    ...(await place.objects()),
    ...(await containers()).flatMap(({ Names }) => Names),
    ...volumes.map(({ Name }) => Name),
  ];
}

test(
  'containers of tasks killed at any moment: no effect twice, every doubt reported, nothing left',
  async () => {
    const own = join(dir, 'tasks');
    await mkdir(own);
    {
      const parts = { ...sandboxParts(), settings: place.settings };
      await using sandbox = await openFargate({ ...parts, pool: 1 });
      sandbox.keep?.([{ language: 'python', limits: toExecLimits() }]);
      const way = { sandbox, dir: own, random: randoms(7), pauseMs: 3_000, victims };
      await killExecutors({ ...way, kills: kills.fargateTasks });
    }
    expect(await left()).toEqual([]);
  },
  limitMs(kills.fargateTasks),
);

test(
  'workers that wait for tasks killed at any moment: taken over, and their tasks, secrets and objects go with their signs of life',
  async () => {
    const own = join(dir, 'workers');
    await mkdir(own);
    const url = await openDatabase();
    const backend = { kind: 'fargate', settings: place.settings } as const;
    const way = { url, dir: own, backend, start: await buildWorker(own) };
    const life = lives(randoms(8), 6_000);
    const places = placesOf(place, scope);
    for (let killed = 0; killed < kills.fargateWorkers; killed += killsAtOnce) {
      const count = Math.min(killsAtOnce, kills.fargateWorkers - killed);
      await killWorkers({ ...way, kills: count, lives: life });
      expect(await left()).not.toEqual([]);
      // Signs of life run out minutes after what a dead worker asked for has come.
      await place.tasks.settled();
      const nowMs = Date.now() + heartbeatTtlMs + orphanGraceMs + 1;
      expect(await reap(places, { nowMs, signal: never })).toBeGreaterThan(0);
      expect(await left()).toEqual([]);
    }
  },
  limitMs(kills.fargateWorkers),
);

/** What a container runs instead. */
const spoilt: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'an executor that ends before it has come': ['executor', ['/bin/false']],
  'an executor that ends between its stream and its outputs': [
    'executor',
    [
      ...['/usr/bin/python3', '-c'],
      `import socket
stream = socket.socket(socket.AF_UNIX)
while stream.connect_ex("/run/timeloom/supervisor.sock") != 0: pass`,
    ],
  ],
  'a keeper that ends before it has come': ['keeper', ['/bin/false']],
};

test.each(Object.entries(spoilt))('%s is not waited for', async (_, [name, entry]) => {
  await using own = new Scope();
  const { network } = place;
  const task = () => {
    const { definition, ...rest } = place.task();
    const all = definition.ContainerDefinitions.map((each) =>
      each.Name === name ? { ...each, EntryPoint: [...entry] } : each,
    );
    const env = [...network.env, `AWS_ENDPOINT_URL_SECRETS_MANAGER=${aws.wire.url}`];
    return { ...rest, env, definition: { ...definition, ContainerDefinitions: all } };
  };
  const aws = await openAws(own, { start: inContainers(task), host: network.host });
  const sandbox = own.own(await openFargate({ ...sandboxParts(), settings: aws.settings }));
  const { envelope } = await ran(sandbox, request('python', 'print(1)'));
  expect(envelope).toMatchObject({ ok: false, kill_reason: 'lost' });
  // Whom the service shows first is its own affair.
  expect(envelope.runtime_err_tail).toMatch(/the (task|executor) ended/);
});
