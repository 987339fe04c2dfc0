import http from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../../../../runtime/base/fault.ts';
import { openGateway } from '../../../../runtime/gateway/gateway.ts';
import { packetBytesMax } from '../../../../runtime/gateway/input/limits.ts';
import { openStage, Player, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

function call(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(path, stage.gateway.url), init);
}

function post(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const json = { 'content-type': 'application/json', ...headers };
  return call(path, { method: 'POST', body: JSON.stringify(body), headers: json });
}

const messages = '/api/chat/dev/dev/messages';

test('a message over HTTP is accepted like one over a socket, and streamed as server-sent events', async () => {
  const sent = await post(messages, { conversation_id: 'conv_h', message_id: 'm1', text: 'Hello' });
  expect(sent.status).toBe(200);
  expect(await sent.json()).toMatchObject({
    ok: true,
    status: 'started',
    conversation_id: 'conv_h',
    seq: 2,
  });
  const player = await Player.take(stage.deps, 'conv_h');
  const first = await readStream('', 3);
  expect(first.map(({ event }) => event)).toEqual(['chat_start', 'conv_status', 'chat_step']);
  await player.delta('answer', 'Hi');
  await player.close('Hi');
  const rest = await readStream(first[0]?.id ?? '', 5);
  expect(rest.map(({ event }) => event)).toEqual([
    'conv_status',
    'chat_step',
    'chat_delta',
    'chat_complete',
    'conv_status',
  ]);
});

async function readStream(lastId: string, count: number) {
  const headers = lastId === '' ? {} : { 'last-event-id': lastId };
  const response = await call('/api/chat/dev/dev/conversations/conv_h/stream', { headers });
  const events: { event: string; id: string; data: string }[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1] ?? '';
      events.push({ event: field('event'), id: field('id'), data: field('data') });
    }
    if (events.length >= count) break;
  }
  return events;
}

test('files of a multipart message get safe and distinct names', async () => {
  const form = new FormData();
  form.append(
    'message',
    JSON.stringify({ conversation_id: 'conv_f', message_id: 'm1', text: 'see' }),
  );
  form.append('files', new File(['a,b\n1,2\n'], '../../etc/data.csv', { type: 'text/csv' }));
  form.append('files', new File(['{"a":1}'], 'data.csv', { type: 'application/json' }));
  const sent = await call(messages, { method: 'POST', body: form });
  expect(await sent.json()).toMatchObject({ ok: true, seq: 4 });
  const fetched = await post('/conversations/dev/dev/conv_f/fetch', {});
  const { blocks } = (await fetched.json()) as {
    blocks: { path?: string; resource?: string; text?: string; blob?: unknown }[];
  };
  const paths = blocks.map(({ path }) => path?.replace(/turn_\w+/, 'T'));
  expect(paths).toEqual([
    undefined,
    'ar:T.user.prompt',
    'fi:T.user.attachments/data.csv',
    'fi:T.user.attachments/data-2.csv',
  ]);
  expect(blocks[2]?.text).toBe('a,b\n1,2\n');
  expect(blocks[1]?.resource).toBeUndefined();
  expect(blocks[3]?.resource).toMatch(
    /^ef:dev:dev:chatbot:main:dev:conv_f:turn_\w+:user:data-2\.csv$/,
  );
  expect(blocks.every(({ blob }) => blob === undefined)).toBe(true);
});

// proves: paths.both-spellings
test("a file is its owner's, and arrives as something to save", async () => {
  const attachments = [
    {
      name: 'page ü.html',
      mime: 'text/html',
      data: Buffer.from('<script>1</script>').toString('base64'),
    },
  ];
  const sent = await post(messages, {
    conversation_id: 'conv_p',
    message_id: 'm1',
    text: 'see',
    attachments,
  });
  const { turn_id } = (await sent.json()) as { turn_id: string };
  const path = `fi:${turn_id}.user.attachments/page ü.html`;
  const query = new URLSearchParams({ path, conversation: 'conv_p' });
  const response = await call(`/api/files?${query}`);
  expect(await response.text()).toBe('<script>1</script>');
  const header = (name: string) => response.headers.get(name);
  expect(header('content-type')).toBe('text/html; charset=utf-8');
  expect(header('x-content-type-options')).toBe('nosniff');
  expect(header('content-disposition')).toBe(
    'attachment; filename="page _.html"; filename*=UTF-8\'\'page%20%C3%BC.html',
  );
  expect(header('content-security-policy')).toContain('sandbox');
  expect(
    (await post('/by-rn', { rn: `fi:conv_p.${turn_id}.user.attachments/page ü.html` })).status,
  ).toBe(200);
  const named = `ef:dev:dev:chatbot:prod:dev:conv_p:${turn_id}:user:page ü.html`;
  expect((await post('/by-rn', { rn: named })).status).toBe(200);
  expect((await post('/by-rn', { rn: named.replace(':dev:conv', ':eve:conv') })).status).toBe(404);
  expect((await post('/by-rn', { rn: named.replace('ef:dev', 'ef:acme') })).status).toBe(404);
  const short = 'fi:conv_p.t1.user.attachments/page ü.html';
  expect((await post('/by-rn', { rn: short })).status).toBe(200);
  expect((await post('/by-rn', { rn: short.replace('t1', 't2') })).status).toBe(404);
  expect(
    (await call(`/api/files?${query}`, { headers: { 'x-timeloom-user': 'eve' } })).status,
  ).toBe(404);
  expect((await call(`/api/files?${new URLSearchParams({ path })}`)).status).toBe(400);
  expect(
    (
      await call(
        `/api/files?${new URLSearchParams({ path: `fi:${turn_id}.files/../../x`, conversation: 'conv_p' })}`,
      )
    ).status,
  ).toBe(400);
});

test('only its owner can reference an upload in a message', async () => {
  const form = new FormData();
  form.append('file', new File(['a,b\n'], 'up.csv'));
  const kept = await call('/api/uploads', { method: 'POST', body: form });
  const { upload_id } = (await kept.json()) as { upload_id: string };
  const attachments = [{ name: 'renamed.csv', upload_id }];
  const message = { message_id: 'm1', text: 'see', attachments };
  expect((await post(messages, message, { 'x-timeloom-user': 'eve' })).status).toBe(413);
  expect(await (await post(messages, message)).json()).toMatchObject({ ok: true, seq: 3 });
});

test('internal data is not exposed', async () => {
  await post(messages, { conversation_id: 'conv_i', message_id: 'm1', text: 'see' });
  const player = await Player.take(stage.deps, 'conv_i');
  for (const type of [
    'react.notice',
    'react.note',
    'model.call',
    'conv.working.summary',
    'some.future.block',
  ]) {
    await player.append({ type, author: 'system', text: 'secret', data: { secret: true } });
  }
  const fetched = await post('/conversations/dev/dev/conv_i/fetch', {});
  expect(await fetched.text()).not.toContain('secret');
});

// proves: gateway.health
test('health queries the store, metrics count, and unknown addresses are 404', async () => {
  const health = await call('/health');
  expect(health.status).toBe(200);
  expect(await health.json()).toMatchObject({
    ok: true,
    store: { ok: true },
    model: 'scripted:test',
  });
  await post(messages, { message_id: 'm1', text: 'a' });
  expect(await (await call('/metrics')).text()).toContain('timeloom_messages_started_total 1\n');
  const nowhere = await call('/nowhere');
  expect(nowhere.status).toBe(404);
  expect(await nowhere.json()).toMatchObject({ error: { code: 'not_found' } });
});

// proves: gateway.methods
test.each([
  ['GET', messages, 'POST'],
  ['DELETE', '/api/uploads', 'POST'],
  ['GET', '/conversations/dev/dev/conv_a/fetch', 'POST'],
  ['PUT', '/health', 'GET, HEAD'],
  ['PATCH', '/conversations/dev/dev', 'GET, HEAD'],
  ['OPTIONS', '/', 'GET, HEAD'],
])('%s %s is the wrong method; the answer allows %s', async (method, path, allow) => {
  const answer = await call(path, { method });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  expect(await answer.json()).toMatchObject({ ok: false, error: { code: 'wrong_method' } });
});

test('a missing file is not found, and HEAD works like GET', async () => {
  expect((await call('/assets/none.js')).status).toBe(404);
  expect((await call('/conversations/dev/dev', { method: 'POST' })).status).toBe(405);
  expect((await call('/health', { method: 'HEAD' })).status).toBe(200);
});

test('a message that a failing store could not keep can be sent again', async () => {
  const store = {
    ...stage.deps.store,
    accept: () => Promise.reject(new Fault('STORE_UNAVAILABLE')),
  };
  await using sick = await openStage({ store });
  const body = JSON.stringify({ message_id: 'm1', text: 'Hello' });
  const place = `${sick.gateway.url}/api/chat/dev/dev/messages`;
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(place, { method: 'POST', body, headers });
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    ok: false,
    status: 'refused',
    error: { code: 'STORE_UNAVAILABLE' },
  });
});

test('a failing store makes health report 503', async () => {
  const store = { ...stage.deps.store, find: () => Promise.reject(new Fault('STORE_UNAVAILABLE')) };
  await using sick = await openStage({ store });
  const health = await fetch(`${sick.gateway.url}/health`);
  expect(health.status).toBe(503);
  expect(await health.json()).toMatchObject({
    ok: false,
    store: { ok: false, error: 'STORE_UNAVAILABLE' },
  });
});

test.each([
  ['{broken', 400, 'invalid_input'],
  [JSON.stringify({ text: 'no id' }), 400, 'invalid_input'],
  [
    JSON.stringify({ message_id: 'm', text: 'a', kind: 'followup', conversation_id: 'conv_none' }),
    404,
    'not_found',
  ],
])('a bad request has a status and a code: %s', async (body, status, code) => {
  const headers = { 'content-type': 'application/json' };
  const response = await call(messages, { method: 'POST', body, headers });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ ok: false, error: { code } });
});

test('a page of another site is refused, whatever host name it uses for this machine', async () => {
  expect(
    (await call(messages, { method: 'POST', headers: { origin: 'https://evil.example' } })).status,
  ).toBe(403);
  expect(
    (await call('/conversations/dev/dev', { headers: { origin: 'http://localhost:1' } })).status,
  ).toBe(403);
  const own = { origin: stage.gateway.url };
  expect((await call('/conversations/dev/dev', { headers: own })).status).toBe(200);
  expect((await call('/conversations/acme/dev')).status).toBe(403);
});

// proves: bad.port
test('a port in use, and a public address with dev authentication, stop the startup', async () => {
  const { deps, gateway } = stage;
  const open = (more: object, address: { host: string; port: number }) =>
    openGateway({ ...deps, ...more }, address);
  const local = { host: '127.0.0.1', port: gateway.port };
  await expect(open({}, local)).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  await expect(open({}, { host: '0.0.0.0', port: 0 })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

// proves: bad.oversized-attachment
test('a body over the limit is refused by its declared length, before it is sent', async () => {
  const request = http.request(new URL(messages, stage.gateway.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': packetBytesMax + 1 },
  });
  request.flushHeaders();
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  expect(response.statusCode).toBe(413);
  request.destroy();
});
