import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { probeEgress } from '../../../../runtime/adapters/egress/probe-egress.ts';

// proves: external.doctor
test('a model that does not answer and a host without a public address are found', async () => {
  const server = createServer((_, answer) => answer.writeHead(404).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const route = (url: string) => ({ url, headers: {} });
  const models = { here: route(`http://127.0.0.1:${port}`), gone: route('http://127.0.0.1:1') };
  const policy = { hosts: ['*.example.com', 'localhost:8080'], privateHosts: [], models };
  expect(await probeEgress(policy)).toEqual([
    'no model answers at http://127.0.0.1:1',
    'localhost has no public address; add it to private_hosts',
  ]);
  expect(await probeEgress({ ...policy, privateHosts: ['localhost'], models: {} })).toEqual([]);
  server.close();
});
