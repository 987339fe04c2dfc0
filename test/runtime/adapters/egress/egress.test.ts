import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEgressProxy } from '../../../../runtime/adapters/egress/open-egress.ts';
import { readBytes } from '../../../../runtime/base/bytes/read-bytes.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { type EgressPolicy, egressSocket } from '../../../../runtime/engine/ports/agent-sandbox.ts';

/** A proxy in front of a server of this machine, which repeats what it was sent. */
async function openProxy(policy: (port: number) => Partial<EgressPolicy>) {
  const folder = await mkdtemp(join(tmpdir(), 'timeloom-run-egress-'));
  const server = createServer((asked, answer) => {
    answer.end(JSON.stringify({ url: asked.url, headers: asked.headers }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const full = { hosts: [], privateHosts: [], models: {}, ...policy(port) };
  const proxy = await createEgressProxy({ log: silentLog }).open(folder, full);
  const socketPath = join(folder, egressSocket);
  return {
    port,
    async get(path: string, headers: Record<string, string> = {}) {
      const asked = request({ socketPath, path, headers, agent: false }).end();
      const answer = await new Promise<IncomingMessage>((resolve) => asked.on('response', resolve));
      const bytes = await readBytes(answer, { bytesMax: 10_000, what: 'the answer' });
      return { status: answer.statusCode, text: bytes.toString() };
    },
    async tunnel(target: string) {
      const socket = connect(socketPath);
      socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
      const chunk = await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      return String(chunk).split('\r\n')[0];
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

// proves: external.egress
test('a request for the model gets the key of the installation, and loses the one of the program', async () => {
  await using proxy = await openProxy((port) => ({
    models: {
      anthropic: { url: `http://127.0.0.1:${port}/base`, headers: { 'x-api-key': 'secret' } },
    },
  }));
  const keys = { 'x-api-key': 'of-the-program', authorization: 'Bearer of-the-program' };
  const { status, text } = await proxy.get('/model/anthropic/v1/messages?beta=true', keys);
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({
    url: '/base/v1/messages?beta=true',
    headers: { 'x-api-key': 'secret' },
  });
  expect(text).not.toContain('of-the-program');
});

// proves: external.egress
test('a path cannot leave the address of the model, and an unknown model has none', async () => {
  await using proxy = await openProxy((port) => ({
    models: {
      anthropic: { url: `http://127.0.0.1:${port}/base`, headers: { 'x-api-key': 'secret' } },
    },
  }));
  for (const path of ['/model/anthropic/../admin', '/model/openai/v1', '/', '/model/__proto__/x'])
    expect((await proxy.get(path)).status, path).toBe(502);
});

// proves: external.egress
test('only allowed hosts are reached, and only public addresses unless the operator exempts them', async () => {
  await using proxy = await openProxy((port) => ({
    hosts: [`127.0.0.1:${port}`, 'registry.npmjs.org', '10.0.0.1', '*.example.org'],
    privateHosts: ['127.0.0.1'],
  }));
  expect((await proxy.get(`http://127.0.0.1:${proxy.port}/x`)).status).toBe(200);
  expect(await proxy.tunnel(`127.0.0.1:${proxy.port}`)).toBe('HTTP/1.1 200 Connection Established');
  for (const target of [
    '127.0.0.1:22',
    '10.0.0.1:443',
    'example.org:443',
    'evil.com:443',
    'registry.npmjs.org:22',
  ])
    expect(await proxy.tunnel(target), target).toBe('HTTP/1.1 403 Forbidden');
  expect((await proxy.get('http://evil.com/')).status).toBe(403);
  expect((await proxy.get('http://10.0.0.1/')).status).toBe(403);
});
