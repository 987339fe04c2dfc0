import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  acceptable,
  fire,
  hostile,
  isQuick,
  raw,
  type Shot,
  status,
} from '../runtime/gateway/http/hostile-kit.ts';
import { openStage, type Stage } from '../runtime/gateway/stage.ts';

const MiB = 1024 * 1024;

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
  // What is compiled at its first use is not what is measured.
  const packets = [
    admission,
    `420["chat_message",{"message_id":"warm","text":"${'A'.repeat(7 * MiB)}"}]`,
  ];
  await fire(stage.gateway.url, { transport: 'websocket', packets });
});
afterEach(() => stage[Symbol.asyncDispose]());

async function heldUp(shot: Shot): Promise<[answer: string, quick: boolean]> {
  let answer = '';
  const quick = await isQuick(async () => {
    answer = await fire(stage.gateway.url, shot);
  });
  return [answer, quick];
}

const admission = '40{"tenant":"dev","project":"dev"}';

// proves: gateway.cheap-to-refuse
test.each(Object.entries(hostile))('a handshake of %s is refused unread', async (_, make) => {
  const packets = [`40${make(7.5 * MiB)}`];
  expect(await heldUp({ transport: 'websocket', packets })).toEqual([
    expect.stringMatching(/^closed/),
    true,
  ]);
  expect(await heldUp({ transport: 'polling', packets: [], last: packets[0] ?? '' })).toEqual([
    expect.stringMatching(/^(413|failed .*fetch)/),
    true,
  ]);
});

// proves: gateway.cheap-to-refuse
test.each(Object.entries(hostile))(
  'a message of %s is refused, and its sender goes on',
  async (_, make) => {
    const packets = [admission, `420["chat_message",${make(7.5 * MiB)}]`];
    const [answer, isQuick] = await heldUp({ transport: 'websocket', packets });
    expect([answer, isQuick]).toEqual([expect.stringContaining('"code":"invalid_input"'), true]);
  },
);

// proves: gateway.cheap-to-refuse
test.each(Object.entries(hostile))('a body of %s is refused', async (_, make) => {
  const path = '/conversations/dev/dev/conv_a/fetch';
  const body = make(7.5 * MiB);
  const [answer, isQuick] = await heldUp({
    transport: 'http',
    path,
    type: 'application/json',
    body,
  });
  expect([answer, isQuick]).toEqual([expect.stringMatching(/^400 .*invalid_input/), true]);
});

test.each(Object.entries(acceptable))('%s hold nobody up', async (_, list) => {
  const payload = `{"message_id":"m1","kind":"alert","payload":${list}}`;
  const socket = await heldUp({
    transport: 'websocket',
    packets: [admission, `420["chat_message",${payload}]`],
  });
  expect(socket).toEqual([expect.stringContaining('invalid_input'), true]);
  const http = {
    transport: 'http',
    path: '/api/chat/dev/dev/messages',
    type: 'application/json',
  } as const;
  expect(await heldUp({ ...http, body: payload })).toEqual([expect.stringMatching(/^400 /), true]);
});

test('a payload of as many values as it may have holds nobody up', async () => {
  const payload = `{"message_id":"m1","kind":"alert","payload":{"service":[${'[],'.repeat(20_000)}0]}}`;
  const packets = [admission, `420["chat_message",${payload}]`];
  const [answer, isQuick] = await heldUp({ transport: 'websocket', packets });
  expect([answer, isQuick]).toEqual([expect.stringContaining('"ok":true'), true]);
});

test('a message with as large a file as a packet holds holds nobody up', async () => {
  const data = Buffer.alloc(5 * MiB, 'a,b\n').toString('base64');
  const message = {
    message_id: 'm1',
    text: 'see',
    attachments: [{ name: 'a.csv', mime: 'text/csv', data }],
  };
  const packets = [admission, `420${JSON.stringify(['chat_message', message])}`];
  const [answer, isQuick] = await heldUp({ transport: 'websocket', packets });
  expect([answer, isQuick]).toEqual([expect.stringContaining('"ok":true'), true]);
});

test('a long-polling request full of packets is refused by its length', async () => {
  const last = '2\x1e'.repeat(MiB);
  const shot: Shot = { transport: 'polling', packets: [admission], last };
  expect(await heldUp(shot)).toEqual([expect.stringMatching(/^(413|failed .*fetch)/), true]);
  const [, isQuick] = await heldUp({ ...shot, last: last.slice(0, MiB) });
  expect(isQuick).toBe(true);
});

// proves: gateway.anonymous-bytes
test('a connection that has not been admitted is closed after a few kilobytes', async () => {
  const upgrade =
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n' +
    'Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n';
  // The frame announces 7 MiB, of which only 64 KiB come.
  const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x70, 0, 0, 1, 2, 3, 4]);
  const response = await raw(stage.gateway.port, [upgrade, head, Buffer.alloc(64 * 1024)]);
  expect(response).toMatch(/^HTTP\/1.1 101 /);
});

// proves: gateway.identity-before-body
test('nothing of a body is read before its sender is identified', async () => {
  await using closed = await openStage({
    auth: {
      mode: 'jwt',
      tokens: { read: () => Promise.reject(new Error('no token')) },
      origins: [],
    },
  });
  const request =
    'POST /api/chat/dev/dev/messages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
    'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n10000\r\n';
  // The chunk never ends, and the answer comes all the same.
  const response = await raw(closed.gateway.port, [request, Buffer.alloc(1024)]);
  expect(response).toMatch(/^HTTP\/1.1 401 /);
});

// proves: gateway.own-pages
test.each([
  ['another port of this machine', { origin: 'http://localhost:8080' }, 403],
  ['a sandboxed frame', { origin: 'null' }, 403],
  [
    'an image on another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    403,
  ],
  ['an image on another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }, 403],
  ['its own page', { 'sec-fetch-site': 'same-origin' }, 200],
  ['the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 200],
  [
    'a link on another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    200,
  ],
  [
    'a frame on another site',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    403,
  ],
  ['another name for this machine', { host: 'evil.example' }, 403],
])('a request from %s is answered with its status', async (_, headers, expected) => {
  const { url } = stage.gateway;
  for (const path of ['/health', '/metrics', '/openapi.json', '/conversations/dev/dev', '/']) {
    expect([path, await status(`${url}${path}`, headers)]).toEqual([path, expected]);
  }
  const handshake = `${url}/socket.io/?EIO=4&transport=polling`;
  const isPage = !('sec-fetch-dest' in headers) || expected === 403;
  if (isPage) expect(await status(handshake, headers)).toBe(expected);
});

test('a page of a listed origin is allowed with dev authentication', async () => {
  await using listed = await openStage({
    auth: { mode: 'dev', origins: ['http://localhost:5173'] },
  });
  const origin = (name: string) => status(`${listed.gateway.url}/health`, { origin: name });
  expect([await origin('http://localhost:5173'), await origin('http://localhost:5174')]).toEqual([
    200, 403,
  ]);
});

// proves: gateway.own-pages
test('a body that a form of a page could send starts nothing', async () => {
  const { url } = stage.gateway;
  const body = JSON.stringify({ message_id: 'm1', text: 'Why?' });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
    const headers = { origin: url, ...(type === '' ? {} : { 'content-type': type }) };
    const sent = { method: 'POST', body: new Blob([body]), headers };
    expect((await fetch(`${url}/api/chat/dev/dev/messages`, sent)).status).toBe(415);
  }
});
