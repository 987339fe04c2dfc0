import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProcessSandbox } from '../../../runtime/adapters/process/sandbox.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { openSandbox } from '../../../runtime/cli/sandbox/open-sandbox.ts';
import { Sandboxes } from '../../../runtime/cli/sandbox/sandboxes.ts';
import { engineMsMax, openDocker } from '../../tools/services/docker.ts';
import { ran, request, sandboxParts } from './kit.ts';

const scope = new Scope();
let sandboxes: Sandboxes;
beforeAll(async () => {
  const { host: dockerHost } = scope.own(await openDocker());
  const parts = { ...sandboxParts(), scope };
  const own = scope.own(await openProcessSandbox(parts));
  sandboxes = new Sandboxes(own, ({ image, cpus }) =>
    openSandbox({
      ...{ ...parts, mode: 'docker', dockerHost },
      ...(image === undefined ? {} : { base: image }),
      limits: { cpus, inodes: undefined, runtime: undefined, docker: undefined },
    }),
  );
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

const code = 'print("here")';

// proves: exec.place
test('programs of one conversation run in the sandboxes that their agents choose', async () => {
  const places = [undefined, { mode: 'docker' as const, cpus: 0.5 }, undefined];
  const ends = await Promise.all(
    places.map((place) =>
      ran(sandboxes, { ...request('python', code), ...(place ? { place } : {}) }),
    ),
  );
  expect(ends.map(({ envelope }) => [envelope.backend, envelope.user_out_tail])).toEqual([
    ['process', 'here\n'],
    ['docker', 'here\n'],
    ['process', 'here\n'],
  ]);
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
