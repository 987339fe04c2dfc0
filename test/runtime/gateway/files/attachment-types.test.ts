import { afterEach, beforeEach, expect, test } from 'vitest';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { ask, openStage, Player, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const split = 'text/html\r\nX-Injected: 1';

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', body: JSON.stringify(body), headers };
  return fetch(new URL(path, stage.gateway.url), init);
}

function send(mime: string) {
  const data = Buffer.from('a,b\n').toString('base64');
  const message = { conversation_id: 'conv_a', message_id: 'm1', text: 'see' };
  const attachments = [{ name: 'a.csv', mime, data }];
  return ask(stage.connect(), 'chat_message', { ...message, attachments });
}

// proves: attachments.mime
test.each([split, 'text', 'text/', 'text/csv\n', 'text/csv; charset=ü'])(
  'an attachment of the mime %j is refused with its place',
  async (mime) => {
    const ack = await send(mime);
    if (ack.ok) throw new Error('accepted');
    expect(ack.error.code).toBe('invalid_input');
    expect(ack.error.message).toContain('attachments[0].mime');
  },
);

test.each(['', 'text/csv', 'text/csv;charset=utf-8', 'text/csv; charset="utf-8"'])(
  'an attachment of the mime %j is accepted',
  async (mime) => {
    expect(await send(mime)).toMatchObject({ ok: true });
  },
);

test('an upload whose MIME type has line breaks is refused, as JSON or by tus', async () => {
  const json = await post('/api/uploads', { name: 'a.csv', mime: split, size: 4 });
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const metadata = `filename ${base64('a.csv')},filetype ${base64(split)}`;
  const headers = { 'upload-length': '4', 'upload-metadata': metadata };
  const tus = await fetch(`${stage.gateway.url}/api/uploads`, { method: 'POST', headers });
  for (const response of [json, tus]) {
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
  }
});

test('a stored file whose MIME type has line breaks is downloaded as bytes of an unknown type', async () => {
  await send('text/csv');
  const player = await Player.take(stage.deps, 'conv_a');
  const path = `fi:${player.turn}.user.attachments/b.html`;
  await player.append({
    type: 'user.attachment',
    author: 'user',
    path: toBlockPath(path),
    mime: split,
    text: 'bytes',
    data: { filename: 'b.html', size: 5 },
  });
  const query = new URLSearchParams({ path, conversation: 'conv_a' });
  const response = await fetch(`${stage.gateway.url}/api/files?${query}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  expect(response.headers.get('x-injected')).toBeNull();
  expect(await response.text()).toBe('bytes');
});
