import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { type OpenPlace, Sandboxes } from '../../../runtime/cli/sandbox/sandboxes.ts';
import type { SandboxPlace } from '../../../runtime/tools/ports/sandbox-place.ts';
import { engineMsMax, openDocker } from '../../tools/services/docker.ts';
import { ran, request, sandboxParts } from './kit.ts';

const scope = new Scope();
const opened: SandboxPlace[] = [];
let sandboxes: Sandboxes;
beforeAll(async () => {
  const { host: dockerHost } = scope.own(await openDocker());
  const parts = { ...sandboxParts(), scope };
  const own = scope.own(await openProcessSandbox(parts));
  const open: OpenPlace = (place) => {
    opened.push(place);
    const { image, cpus } = place;
    return openSandbox({
      ...{ ...parts, mode: 'docker', dockerHost },
      ...(image === undefined ? {} : { base: image }),
      limits: { cpus, inodes: undefined, runtime: undefined, docker: undefined },
    });
  };
  sandboxes = new Sandboxes(own, { open, cpus: 1 });
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

const code = 'print("here")';

// proves: exec.place
test('programs of one conversation run in the sandboxes that their agents choose', async () => {
  const docker = { mode: 'docker', cpus: 0.5 } as const;
  const places = [undefined, docker, { mode: 'process', cpus: 1 } as const];
  const kinds = places.map((place) => ({
    ...request('python', code),
    ...(place ? { place } : {}),
  }));
  sandboxes.keep(kinds);
  using _early = sandboxes.prepare(kinds.at(-1) ?? request('python', code));
  const ends = await Promise.all(kinds.map((kind) => ran(sandboxes, kind)));
  expect(ends.map(({ envelope }) => [envelope.backend, envelope.user_out_tail])).toEqual([
    ['process', 'here\n'],
    ['docker', 'here\n'],
    ['process', 'here\n'],
  ]);
  // The place that equals the installation's own sandbox is that sandbox.
  expect(opened).toEqual([docker]);
});

// proves: exec.place
test('a sandbox that cannot be opened is refused with its reason, and programs elsewhere go on', async () => {
  const place = { image: 'no/such:image' };
  await expect(ran(sandboxes, { ...request('python', code), place })).rejects.toMatchObject({
    code: 'exec_unavailable',
    message: expect.stringContaining('the engine has no image no/such:image') as unknown,
  });
  using _early = sandboxes.prepare({ ...request('python', code), place });
  const { envelope } = await ran(sandboxes, request('python', code));
  expect(envelope.ok).toBe(true);
});
