import { afterAll } from 'vitest';
import { openDockerSandbox } from '../../runtime/adapters/docker/sandbox.ts';
import { Scope } from '../../runtime/base/scope.ts';
import { startDocker } from '../tools/docker.ts';
import { execConformance } from './exec-conformance.ts';
import { sandboxParts } from './exec-kit.ts';

const scope = new Scope();
afterAll(() => scope[Symbol.asyncDispose]());

execConformance('Docker', async () => {
  const { host } = scope.own(await startDocker());
  const parts = sandboxParts();
  return { sandbox: await openDockerSandbox({ ...parts, dockerHost: host }), blobs: parts.blobs };
});
