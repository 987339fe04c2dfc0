import Docker from 'dockerode';
import { afterAll, expect, test } from 'vitest';
import { reap, toLabels } from '../../runtime/adapters/docker/reap.ts';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { openSandbox } from '../../runtime/cli/open-sandbox.ts';
import { startDocker } from '../tools/docker.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

// proves: exec.docker, exec.auto

const scope = new Scope();
let engine: string;
afterAll(() => scope[Symbol.asyncDispose]());

execConformance('Docker', async () => {
  engine = scope.own(await startDocker()).host;
  const parts = sandboxParts();
  return { sandbox: await openDockerSandbox({ ...parts, dockerHost: engine }), blobs: parts.blobs };
});

test('auto takes Docker when it answers', async () => {
  await using own = new Scope();
  const options = { ...sandboxParts(), mode: 'auto', dockerHost: engine, scope: own } as const;
  const { sandbox, tried } = await openSandbox(options);
  expect(tried).toEqual([]);
  expect(sandbox?.backend).toBe('docker');
});

test('what is past its deadline is removed, what is not stays', async () => {
  const docker = new Docker({ socketPath: engine.replace('unix://', '') });
  const make = async (execution: string, deadlineMs: number) => {
    const Labels = toLabels({ execution, owner: 'nobody', deadlineMs });
    await docker.createVolume({ Name: `volume-${execution}`, Labels });
    const Image = 'timeloom-base:bookworm';
    await docker.createContainer({ Image, name: execution, Cmd: ['true'], Labels });
  };
  await make('late', Date.now() - 3_600_000);
  await make('early', Date.now() + 3_600_000);
  expect(await reap(docker, { nowMs: Date.now() })).toBe(2);
  const names = (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names);
  expect(names).toEqual(['/early']);
  const { Volumes } = await docker.listVolumes();
  expect(Volumes.map(({ Name }) => Name)).toEqual(['volume-early']);
});
