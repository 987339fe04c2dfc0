import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDockerAgentSandbox } from '../../../runtime/adapters/docker/agent/agent-sandbox.ts';
import { systemClock } from '../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { serverTestsMsMax } from '../../tools/serve.ts';
import { engineMsMax, openDocker } from '../../tools/services/docker.ts';
import { expectWholeSession, openDemoPlace } from './demo-place.ts';
import { expectIsolation } from './sandbox-probe.ts';

const scope = new Scope();
let dockerHost: string;
beforeAll(async () => {
  dockerHost = scope.own(await openDocker()).host;
}, engineMsMax);
afterAll(() => scope[Symbol.asyncDispose]());

// proves: external.docker
test('an agent program in a container has no network, no privilege and no secret, and leaves nothing behind', async () => {
  {
    await using sandbox = await openDockerAgentSandbox({
      ...{ dockerHost, clock: systemClock, log: silentLog },
    });
    await expectIsolation(sandbox);
  }
  const docker = new Docker({ socketPath: dockerHost.replace('unix://', '') });
  expect(await docker.listContainers({ all: true })).toEqual([]);
});

test('without the image of the operator agent programs do not run, and the reason names it', async () => {
  const options = { dockerHost, image: 'none:1', clock: systemClock, log: silentLog };
  await expect(openDockerAgentSandbox(options)).rejects.toThrow('the engine has no image none:1');
});

// proves: external.docker
test(
  'an agent program in a container edits a file, asks for permission, is steered, killed and resumed',
  async () => {
    await using place = await openDemoPlace(dockerHost);
    await expectWholeSession(place);
  },
  serverTestsMsMax,
);
