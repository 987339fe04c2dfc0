import { once } from 'node:events';
import { connect } from 'node:net';
import { Upload } from 'tus-js-client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import {
  openUploadsMax,
  uploadPartBytes,
  uploadTtlMs,
} from '../../../../runtime/gateway/files/limits.ts';
import { UploadParts } from '../../../../runtime/gateway/files/upload-parts.ts';
import { Uploads } from '../../../../runtime/gateway/files/uploads.ts';
import { openGateway } from '../../../../runtime/gateway/gateway.ts';
import { Inspector } from '../../../../runtime/gateway/inspection/inspector.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { patient } from '../../../tools/machine-speed.ts';
import { openStage, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
let nowMs = 0;
let url = '';
beforeEach(async () => {
  nowMs = Date.now();
  const clock = {
    ...systemClock,
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: systemClock.sleep,
  };
  stage = await openStage({ clock, storage: createMemoryStorage(() => nowMs) });
  url = stage.gateway.url;
});
afterEach(() => stage[Symbol.asyncDispose]());

const file = Buffer.from('a,b\n1,2\n'.repeat(100_000));
const half = file.byteLength / 2 + 7;

function ask(method: string, path: string, init: RequestInit = {}) {
  return fetch(new URL(path, url), { method, ...init });
}

async function begin(more: object = {}, headers = {}): Promise<Response> {
  const body = JSON.stringify({ name: 'a.csv', mime: 'text/csv', size: file.byteLength, ...more });
  const json = { 'content-type': 'application/json', ...headers };
  return await ask('POST', '/api/uploads', { body, headers: json });
}

const State = z.object({ upload_id: z.string(), offset: z.number(), size: z.number() });
async function begun(more: object = {}): Promise<string> {
  return State.parse(await (await begin(more)).json()).upload_id;
}

type Headers = Readonly<Record<string, string>>;
function patch(id: string, bytes: Uint8Array, headers: Headers): Promise<Response> {
  return ask('PATCH', `/api/uploads/${id}`, { headers, body: new Uint8Array(bytes) });
}

function patchAt(offset: number, id: string, bytes: Uint8Array): Promise<Response> {
  return patch(id, bytes, { 'upload-offset': String(offset) });
}

async function offsetOf(id: string): Promise<number> {
  return State.parse(await (await ask('GET', `/api/uploads/${id}`)).json()).offset;
}

async function codeOf(answer: Response): Promise<unknown> {
  const body = z.object({ error: z.object({ code: z.string() }) }).parse(await answer.json());
  return [answer.status, body.error.code];
}

/** Says it with a message, and reads it back. */
async function said(id: string): Promise<Buffer> {
  const attachments = [{ name: 'a.csv', upload_id: id }];
  const message = { conversation_id: 'conv_u', message_id: `m-${id}`, text: 'see', attachments };
  const path = '/api/chat/dev/dev/messages';
  const headers = { 'content-type': 'application/json' };
  const ack: unknown = await (
    await ask('POST', path, { body: JSON.stringify(message), headers })
  ).json();
  const { turn_id } = z.object({ ok: z.literal(true), turn_id: z.string() }).parse(ack);
  const kept = `path=fi:${turn_id}.user.attachments/a.csv&conversation=conv_u`;
  return Buffer.from(await (await ask('GET', `/api/files?${kept}`)).arrayBuffer());
}

/** A request that announces everything, sends some, and is cut. */
async function cutAfter(id: string, bytes: Uint8Array): Promise<void> {
  const socket = connect(stage.gateway.port, '127.0.0.1');
  const lines = [
    ...[`PATCH /api/uploads/${id} HTTP/1.1`, 'Host: 127.0.0.1', 'Upload-Offset: 0'],
    ...[`Content-Length: ${file.byteLength}`, '', ''],
  ];
  socket.write(lines.join('\r\n'));
  await new Promise((resolve) => socket.write(bytes, resolve));
  await vi.waitFor(async () => expect(await offsetOf(id)).toBeGreaterThan(0), patient(20_000));
  socket.resetAndDestroy();
  await once(socket, 'close');
}

// proves: uploads.resumed
test('an interrupted upload continues where it stopped, and a message may name it', async () => {
  const answer = await begin();
  expect(answer.status).toBe(201);
  expect(answer.headers.get('location')).toMatch(/^\/api\/uploads\/\w+$/);
  const { upload_id: id } = State.parse(await answer.json());
  await cutAfter(id, file.subarray(0, half));
  const kept = Math.floor(half / uploadPartBytes) * uploadPartBytes;
  expect(await offsetOf(id)).toBeGreaterThanOrEqual(kept);
  const head = await ask('HEAD', `/api/uploads/${id}`);
  const offset = Number(head.headers.get('upload-offset'));
  expect(head.headers.get('upload-length')).toBe(String(file.byteLength));
  const rest = await patchAt(offset, id, file.subarray(offset));
  expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, `${file.byteLength}`]);
  expect((await said(id)).equals(file)).toBe(true);
});

// proves: uploads.restart
test('another gateway over the same store continues an upload', async () => {
  const id = await begun();
  await patchAt(0, id, file.subarray(0, 1_000));
  await stage.gateway[Symbol.asyncDispose]();
  await using gateway = await openGateway(stage.deps, { host: '127.0.0.1', port: 0 });
  url = gateway.url;
  const rest = await patchAt(1_000, id, file.subarray(1_000));
  expect([rest.status, rest.headers.get('upload-offset')]).toEqual([204, `${file.byteLength}`]);
});

test('bytes at a wrong offset are refused with the right offset, and nothing changes', async () => {
  const id = await begun();
  await patchAt(0, id, file.subarray(0, 1_000));
  for (const offset of [0, 999, 1_001, file.byteLength]) {
    const answer = await patchAt(offset, id, file.subarray(offset));
    expect(answer.headers.get('upload-offset')).toBe('1000');
    expect(await codeOf(answer)).toEqual([409, 'conflict']);
  }
  expect(await codeOf(await patchAt(-1, id, file))).toEqual([400, 'invalid_input']);
  expect(await codeOf(await patchAt(1_000, id, Buffer.alloc(file.byteLength)))).toEqual([
    ...[413, 'too_large'],
  ]);
});

// proves: uploads.private
test("somebody else's upload is not there", async () => {
  const id = await begun();
  const headers = { 'x-timeloom-user': 'mallory' };
  const path = `/api/uploads/${id}`;
  expect(await codeOf(await ask('GET', path, { headers }))).toEqual([404, 'not_found']);
  expect(await codeOf(await patch(id, file, { ...headers, 'upload-offset': '0' }))).toEqual([
    404,
    'not_found',
  ]);
  expect(await codeOf(await ask('DELETE', path, { headers }))).toEqual([404, 'not_found']);
  expect(await offsetOf(id)).toBe(0);
});

// proves: uploads.limits
test.each([
  ['nothing', { size: 0 }, 413],
  ['more than a file may have', { size: 26 * 1024 * 1024 }, 413],
  ['more than an image may have', { name: 'a.png', mime: 'image/png', size: 6e6 }, 413],
  ['less than nothing', { size: -1 }, 400],
  ['a digest that is none', { sha256: 'abc' }, 400],
])('%s is refused before a byte is sent', async (_, more, status) => {
  expect((await begin(more)).status).toBe(status);
});

// proves: uploads.checked
test.each([
  ['its digest is another one', { sha256: '0'.repeat(64) }, /has the sha256/],
  ['it is not what it says', { name: 'a.png', mime: 'image/png' }, /a.png is text, not image.png/],
])('a complete file is refused if %s, and nothing of it is kept', async (_, more, says) => {
  const id = await begun(more);
  const answer = await patchAt(0, id, file);
  expect(answer.status).toBe(413);
  expect(JSON.stringify(await answer.json())).toMatch(says);
  expect((await ask('GET', `/api/uploads/${id}`)).status).toBe(404);
});

test('a file with the right digest is kept, and a deleted upload is gone', async () => {
  const digest = await crypto.subtle.digest('SHA-256', file);
  const id = await begun({ sha256: Buffer.from(digest).toString('hex') });
  expect((await patchAt(0, id, file)).status).toBe(204);
  expect(await offsetOf(id)).toBe(file.byteLength);
  expect((await ask('DELETE', `/api/uploads/${id}`)).status).toBe(204);
  expect((await ask('GET', `/api/uploads/${id}`)).status).toBe(404);
});

// proves: uploads.expire
test('an unfinished upload expires, and one too many replaces the oldest', async () => {
  const ids: string[] = [];
  for (let n = 0; n <= openUploadsMax; n += 1) {
    nowMs += 1;
    ids.push(await begun());
    await patchAt(0, ids.at(-1) ?? '', file.subarray(0, 10));
  }
  const found = () =>
    Promise.all(ids.map(async (id) => (await ask('GET', `/api/uploads/${id}`)).status));
  expect(await found()).toEqual([404, ...ids.slice(1).map(() => 200)]);
  nowMs += uploadTtlMs;
  expect(await found()).toEqual(ids.map(() => 404));
  const keys: string[] = [];
  for await (const key of stage.deps.storage.keys('uploads/dev/dev/dev', '')) keys.push(key);
  expect(keys).toEqual([]);
});

// proves: uploads.tus
test('a tus client sends a file in pieces, stops, and continues', async () => {
  const metadata = { filename: 'Wetter März.csv', filetype: 'text/csv' };
  const endpoint = `${stage.gateway.url}/api/uploads`;
  const send = (uploadUrl: string | undefined, stopAt: number) =>
    new Promise<string>((resolve, reject) => {
      const upload = new Upload(file, {
        ...{ endpoint, metadata, chunkSize: 200_000, retryDelays: null },
        ...(uploadUrl !== undefined && { uploadUrl }),
        onError: reject,
        onSuccess: () => resolve(upload.url ?? ''),
        onChunkComplete: (_, sent) => {
          if (sent < stopAt) return;
          void upload.abort().then(() => resolve(upload.url ?? ''));
        },
      });
      upload.start();
    });
  const address = await send(undefined, 300_000);
  const id = address.split('/').at(-1) ?? '';
  expect(await offsetOf(id)).toBe(400_000);
  await send(address, Number.POSITIVE_INFINITY);
  const state: unknown = await (await ask('GET', `/api/uploads/${id}`)).json();
  expect(state).toMatchObject({
    name: 'Wetter März.csv',
    mime: 'text/csv',
    offset: file.byteLength,
  });
  expect((await said(id)).equals(file)).toBe(true);
});

// proves: uploads.taken-twice
test('concurrent requests for one upload all succeed', async () => {
  const { deps } = stage;
  const sender = { ...scope, user: 'dev' };
  await using inspector = new Inspector();
  const uploads = new Uploads({ ...deps, inspector });
  for (let n = 0; n < 20; n += 1) {
    const state = await uploads.create({ name: 'a.csv', mime: 'text/csv', size: 4 }, sender);
    const parts = new UploadParts(deps.storage);
    const bytes = Buffer.from('a,b\n');
    const space = ['uploads', 'dev', 'dev', 'dev'].join('/');
    await parts.add(space, { upload: state.id, start: 0, bytes, ttlMs: 60_000 });
    // Each begins some steps later than the one before it.
    const takes = Array.from({ length: 12 }, async (_, steps) => {
      for (let step = 0; step < steps * 3 + n; step += 1) await Promise.resolve();
      return uploads.take(state.id, { sender, signal });
    });
    const files = await Promise.all(takes);
    expect(new Set(files.map(({ blob }) => blob.hash)).size).toBe(1);
  }
});
