import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tasks } from '../../../../runtime/adapters/fargate/aws/tasks.ts';

/** What the service says of every task. */
let containers: readonly object[] = [];
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ tasks: [{ lastStatus: 'RUNNING', containers }] }));
  });
});
let tasks: Tasks;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const own = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key', AWS_REGION: 'eu-central-1' };
  Object.assign(process.env, own);
  tasks = new Tasks({
    ...{ cluster: 'c', taskDefinition: 'f' },
    ...{ subnets: ['s'], securityGroups: ['g'], bucket: 'b', prefix: '' },
    endpoints: { aws: url, s3: url },
  });
});
afterAll(() => {
  tasks[Symbol.dispose]();
  server.closeAllConnections();
  server.close();
});

const runs = { name: 'supervisor', lastStatus: 'RUNNING' };
const ended = { name: 'supervisor', lastStatus: 'STOPPED', exitCode: 1 };
const killed = { name: 'executor', lastStatus: 'STOPPED', exitCode: 137 };

// proves: exec.fargate-memory
test.each([
  [
    'an executor of which the service says so',
    [runs, { ...killed, reason: 'OutOfMemoryError: x' }],
    true,
  ],
  ['an executor that was killed alone', [runs, killed], true],
  ['an executor that was killed with its task', [ended, killed], false],
  ['an executor that failed', [runs, { ...killed, exitCode: 1 }], false],
  ['an executor that runs', [runs, { name: 'executor', lastStatus: 'RUNNING' }], false],
])('%s, and memory', async (_, said, outOfMemory) => {
  containers = said;
  const { signal } = new AbortController();
  expect(await tasks.describe('arn:t', { signal })).toMatchObject({ outOfMemory });
});
