import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Log, silentLog } from '../../../../runtime/base/log.ts';
import { openStage, type Stage } from '../stage.ts';

let stage: Stage;
let errors: string[];
beforeEach(async () => {
  errors = [];
  const log: Log = { ...silentLog, error: (message) => errors.push(message) };
  stage = await openStage({ log });
});
afterEach(() => stage[Symbol.asyncDispose]());

/** As clients do that would rather speak HTTP/2, such as the one of Java. */
const upgrade = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEA' };

async function call(path: string, init: http.RequestOptions, body = ''): Promise<IncomingMessage> {
  const request = http.request(new URL(path, stage.gateway.url), init);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

// proves: gateway.upgrades
test('a request that offers another protocol is answered in this one, also with a body', async () => {
  const health = await call('/health', { headers: upgrade });
  expect([health.statusCode, await json(health)]).toMatchObject([200, { ok: true }]);
  const headers = { ...upgrade, 'content-type': 'application/json' };
  const sent = { message_id: 'm1', text: 'Hello' };
  const init = { method: 'POST', headers };
  const answer = await call('/api/chat/dev/dev/messages', init, JSON.stringify(sent));
  expect([answer.statusCode, await json(answer)]).toMatchObject([200, { status: 'started' }]);
});

// proves: gateway.upgrades
test('a connection that offers another protocol with every request is used for all of them', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const sockets = new Set<unknown>();
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  for (let n = 0; n < 30; n += 1) {
    const health = await call('/health', { agent, headers: upgrade });
    sockets.add(health.socket);
    expect([health.statusCode, await json(health)]).toMatchObject([200, { ok: true }]);
  }
  process.off('warning', note);
  agent.destroy();
  expect(sockets.size).toBe(1);
  expect(warnings).toEqual([]);
});

// proves: gateway.upgrades
test('a socket at another path than /socket.io is a route that does not exist', async () => {
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
    'sec-websocket-key': 'c29ja2V0IG9mIG5vYm9keQ==',
  };
  const answer = await call('/ws', { headers });
  expect([answer.statusCode, await json(answer)]).toMatchObject([
    404,
    { ok: false, error: { code: 'not_found' } },
  ]);
});

// proves: gateway.gone-clients
test('a client that breaks off in the middle of its body leaves no error in the log', async () => {
  const headers = {
    ...{ 'content-type': 'application/json', 'content-length': '100', expect: '100-continue' },
  };
  for (const path of ['/by-rn', '/api/a2a/dev/dev/main', '/api/uploads', '/v1/responses']) {
    const request = http.request(new URL(path, stage.gateway.url), { method: 'POST', headers });
    request.on('error', () => undefined);
    request.flushHeaders();
    await once(request, 'continue');
    request.destroy();
  }
  // Far longer than the server takes to see that a connection is closed.
  for (let n = 0; n < 20; n += 1) await call('/health', {});
  expect(errors).toEqual([]);
});
