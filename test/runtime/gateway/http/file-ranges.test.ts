import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { ask, openStage, Player, type Stage, signal } from '../stage.ts';

const bytes = Buffer.from('0123456789'.repeat(50_000));
const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
let stage: Stage;
let video: string;
let note: string;
beforeEach(async () => {
  stage = await openStage();
  await ask(stage.connect(), 'chat_message', {
    ...{ conversation_id: 'conv_a', message_id: 'm1', text: 'see' },
  });
  const player = await Player.take(stage.deps, 'conv_a');
  const blob = await stage.deps.blobs.put('dev', bytes, { signal });
  const pathOf = (name: string) => toBlockPath(`fi:${player.turn}.user.attachments/${name}`);
  const [clip, text] = [pathOf('clip.mp4'), pathOf('note.txt')];
  const data = { filename: 'a', size: 7 };
  const file = { type: 'user.attachment', author: 'user' as const, data };
  await player.append(
    { ...file, path: clip, mime: 'video/mp4', blob },
    { ...file, path: text, mime: 'text/plain', text: 'Grüße' },
  );
  const address = (path: string) =>
    `${stage.gateway.url}/api/files?${new URLSearchParams({ path, conversation: 'conv_a' })}`;
  video = address(clip);
  note = address(text);
});
afterEach(() => stage[Symbol.asyncDispose]());

const get = (headers: Record<string, string>, url = video) => fetch(url, { headers });

// proves: files.ranges
test('a whole file says that parts can be requested, and how it is recognized', async () => {
  const response = await get({});
  expect(response.status).toBe(200);
  expect(response.headers.get('accept-ranges')).toBe('bytes');
  expect(response.headers.get('etag')).toBe(etag);
  expect(response.headers.get('content-length')).toBe('500000');
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

test.each([
  ['bytes=0-3', 0, 3],
  ['bytes=499998-', 499_998, 499_999],
  ['bytes=-5', 499_995, 499_999],
  ['bytes=499990-9999999', 499_990, 499_999],
  ['bytes=-9999999999999999999999', 0, 499_999],
  ['BYTES=7-7', 7, 7],
])('%s is answered with these bytes only', async (range, first, last) => {
  const response = await get({ range });
  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/500000`);
  expect(response.headers.get('content-length')).toBe(String(last - first + 1));
  expect(response.headers.get('content-type')).toBe('video/mp4');
  expect(response.headers.get('etag')).toBe(etag);
  const body = Buffer.from(await response.arrayBuffer());
  expect(body.equals(bytes.subarray(first, last + 1))).toBe(true);
});

test.each([
  'bytes=0-1,4-5',
  'bytes=5-2',
  'bytes=a-b',
  'bytes=-',
  'bytes',
  'lines=0-1',
  'bytes=1.5-2',
])('%s is answered with the whole file', async (range) => {
  const response = await get({ range });
  expect(response.status).toBe(200);
  expect((await response.arrayBuffer()).byteLength).toBe(bytes.byteLength);
});

test.each(['bytes=500000-', 'bytes=500000-500001', 'bytes=-0'])(
  '%s is refused with the size of the file',
  async (range) => {
    const response = await get({ range });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */500000');
    expect(await response.json()).toMatchObject({ error: { code: 'range_not_satisfiable' } });
  },
);

test('a download is resumed only if the file is still the same', async () => {
  const range = 'bytes=10-19';
  const statusOf = async (ifRange: string) => (await get({ range, 'if-range': ifRange })).status;
  expect(await statusOf(etag)).toBe(206);
  for (const other of ['"other"', `W/${etag}`, new Date().toUTCString()])
    expect(await statusOf(other)).toBe(200);
});

test('a client that has the file gets no bytes again', async () => {
  for (const known of [etag, `"other", W/${etag}`, '*']) {
    const response = await get({ 'if-none-match': known, range: 'bytes=0-1' });
    expect([response.status, response.headers.get('etag')]).toEqual([304, etag]);
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
});

test('HEAD describes the whole file, also with a range', async () => {
  const response = await fetch(video, { method: 'HEAD', headers: { range: 'bytes=0-1' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toBe('500000');
  expect(response.headers.get('accept-ranges')).toBe('bytes');
});

test('a text that is stored in its block has ranges of its bytes', async () => {
  const response = await get({ range: 'bytes=2-3' }, note);
  expect(response.headers.get('content-range')).toBe('bytes 2-3/7');
  expect(await response.text()).toBe('ü');
});
