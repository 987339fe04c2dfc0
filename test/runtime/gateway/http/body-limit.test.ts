import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { packetBytesMax } from '../../../../runtime/gateway/input/limits.ts';
import { openStage, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const json = { 'content-type': 'application/json' };

/** A request that announces no length, as one does who writes while it makes what it sends. */
async function send(
  method: string,
  path: string,
  { headers = {}, pieces = [] }: { headers?: http.OutgoingHttpHeaders; pieces?: string[] } = {},
): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
  const request = http.request(new URL(path, stage.gateway.url), { method, headers });
  const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    // Node's client lets go of a connection that was answered early, while it is still written to.
    request.once('socket', (socket) => socket.on('error', reject));
  });
  for (const piece of pieces) request.write(piece);
  request.end();
  const response = await answered;
  return {
    status: response.statusCode,
    body: z.looseObject({}).parse(JSON.parse(await text(response))),
  };
}

test('a message in chunks is accepted', async () => {
  const pieces = ['{"message_id":"m1",', '"text":"Hello"}'];
  const sent = await send('POST', '/api/chat/dev/dev/messages', { headers: json, pieces });
  expect(sent).toMatchObject({ status: 200, body: { ok: true, status: 'started' } });
});

test('a form in chunks is accepted with its files', async () => {
  const form = new FormData();
  form.append('message', JSON.stringify({ message_id: 'm1', text: 'see' }));
  form.append('files', new File(['a,b\n1,2\n'], 'data.csv', { type: 'text/csv' }));
  const whole = new Response(form);
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' };
  const pieces = [await whole.text()];
  const sent = await send('POST', '/api/chat/dev/dev/messages', { headers, pieces });
  expect(sent).toMatchObject({ status: 200, body: { ok: true, seq: 3 } });
});

test('a body in chunks is counted, and refused beyond the limit', async () => {
  const pieces = ['x'.repeat(packetBytesMax), '!'];
  const sent = await send('POST', '/api/chat/dev/dev/messages', { headers: json, pieces });
  expect(sent).toMatchObject({ status: 413, body: { error: { code: 'attachment_refused' } } });
});

test.each(['DELETE', 'PUT', 'PATCH', 'POST'])('%s without a body is answered', async (method) => {
  expect(await send(method, '/nowhere')).toMatchObject({
    status: 404,
    body: { ok: false, status: 'refused', error: { code: 'not_found' } },
  });
});

test('a fetch without a body returns the first blocks', async () => {
  const pieces = [JSON.stringify({ conversation_id: 'conv_b', message_id: 'm1', text: 'Hello' })];
  await send('POST', '/api/chat/dev/dev/messages', { headers: json, pieces });
  const fetched = await send('POST', '/conversations/dev/dev/conv_b/fetch');
  expect(fetched).toMatchObject({ status: 200, body: { ok: true, head: 2, next: 2 } });
});

test('files of a form follow the attachments of its message', async () => {
  const upload = new FormData();
  upload.append('file', new File(['x'], 'up.txt'));
  const kept = await fetch(`${stage.gateway.url}/api/uploads`, { method: 'POST', body: upload });
  const { upload_id } = (await kept.json()) as { upload_id: string };
  const attachments = [{ name: 'up.txt', upload_id }];
  const message = { conversation_id: 'conv_u', message_id: 'm1', text: 'see', attachments };
  const form = new FormData();
  form.append('message', JSON.stringify(message));
  form.append('files', new File(['y'], 'new.txt'));
  const url = `${stage.gateway.url}/api/chat/dev/dev/messages`;
  const sent = await fetch(url, { method: 'POST', body: form });
  expect(await sent.json()).toMatchObject({ ok: true, seq: 4 });
  const { body } = await send('POST', '/conversations/dev/dev/conv_u/fetch');
  const { blocks } = body as { blocks: { path?: string }[] };
  const names = blocks.map(({ path = '' }) => path.split('/')[1]);
  expect(names.slice(2)).toEqual(['up.txt', 'new.txt']);
});

test('listing something of an unknown bundle is 404', async () => {
  expect(await send('GET', '/api/bundles/dev/dev/nobody/widgets')).toMatchObject({
    status: 404,
    body: { ok: false, error: { code: 'not_found' } },
  });
});
