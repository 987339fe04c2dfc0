import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { expect, test } from 'vitest';
import { callService, clientOptions } from '../../../../runtime/adapters/fargate/aws/client.ts';

// proves: exec.fargate-tried-again

test('a service that takes a request and says nothing is a failure of the service, and not waited for without end', async () => {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    ...{ cluster: 'c', taskDefinition: 'f', subnets: ['s'], securityGroups: ['g'] },
    ...{ bucket: 'b', prefix: '', endpoints: { aws: url, s3: url } },
  };
  const client = new ECSClient({
    ...clientOptions(settings, 50),
    ...{ maxAttempts: 1, region: 'eu-central-1' },
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
  });
  try {
    const answer = callService('ECS', client.send(new ListTasksCommand({})));
    await expect(answer).rejects.toMatchObject({ code: 'EXEC_FAILED' });
  } finally {
    client.destroy();
    server.closeAllConnections();
    server.close();
  }
});
