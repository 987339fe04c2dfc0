import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import type { Sandbox } from '../../runtime/tools/sandbox.ts';
import { sandboxParts } from '../integration/exec-kit.ts';
import { startDocker } from '../tools/docker.ts';
import { attacked, open, openWorld, probesMin, type World } from './attacks.ts';
import { protocolSuite } from './protocol.ts';

// proves: exec.docker, i6.no-sockets, i6.no-secrets, i6.attacked, i6.not-believed

const scope = new Scope();
let world: World;
let sandbox: Sandbox;
beforeAll(async () => {
  const { host: dockerHost } = scope.own(await startDocker());
  world = await openWorld(scope, dockerHost.replace('unix://', ''));
  sandbox = scope.own(await openDockerSandbox({ ...sandboxParts(), dockerHost }));
});
afterAll(() => scope[Symbol.asyncDispose]());

test('no probe in Python gets out of Docker', async () => {
  const verdicts = await attacked(sandbox, 'python', world);
  expect(open(verdicts)).toEqual([]);
  expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.python);
});

test('no probe in JavaScript gets out of Docker', async () => {
  const verdicts = await attacked(sandbox, 'javascript', world);
  expect(open(verdicts)).toEqual([]);
  expect(verdicts.size).toBeGreaterThanOrEqual(probesMin.javascript);
});

// The supervisor is one for both languages.
describe('frames', () => protocolSuite(() => sandbox, ['python']));
