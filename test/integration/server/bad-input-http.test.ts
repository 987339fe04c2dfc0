import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Desk, openDesk, takeTurn } from './bad-input-desk.ts';

// proves: bad.oversized-attachment, bad.wrong-tenant, gateway.attachments

let desk: Desk;
let kept: Awaited<ReturnType<Desk['conversations']>>;
beforeAll(async () => {
  desk = await openDesk();
  await takeTurn(await desk.connect({ user: 'ann' }), { conversation_id: 'conv_ann' });
  await takeTurn(await desk.connect({ user: 'mallory' }), { conversation_id: 'conv_mine' });
  kept = await desk.conversations('mallory');
});
afterAll(() => desk[Symbol.asyncDispose]());
afterEach(async () => {
  expect(await desk.conversations('mallory')).toEqual(kept);
  expect(await desk.answer()).toBe('All is well.');
});

type Asked = {
  readonly at: string;
  readonly method?: string;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
  readonly user?: string;
  readonly answers: readonly [status: number, code: string, says: RegExp];
};

const messages = '/api/chat/dev/dev/messages';
const stream = '/api/chat/dev/dev/conversations/conv_mine/stream';
const fetching = '/conversations/dev/dev/conv_mine/fetch';
const json = { 'content-type': 'application/json' };
const post = (at: string, body: BodyInit, headers: Record<string, string> = json) => ({
  ...{ at, method: 'POST', body, headers },
});

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}
const txt = (bytes: number) => new File([Buffer.alloc(bytes, 97)], 'a.txt', { type: 'text/plain' });

const questions: Readonly<Record<string, Asked>> = {
  'a message that is not JSON': {
    ...post(messages, '{"message_id": '),
    answers: [400, 'invalid_input', /the request body is not valid JSON/],
  },
  'a message that is JSON and no object': {
    ...post(messages, 'null'),
    answers: [400, 'invalid_input', /expected object/],
  },
  'a message without a body': {
    ...post(messages, ''),
    answers: [400, 'invalid_input', /^message_id: /],
  },
  'a form without a boundary': {
    ...post(messages, 'hello', { 'content-type': 'multipart/form-data' }),
    answers: [400, 'invalid_input', /the request body is not a valid form/],
  },
  'a form whose message is not JSON': {
    ...post(messages, form({ message: 'hello' }), {}),
    answers: [400, 'invalid_input', /^message: /],
  },
  'a form without a message': {
    ...post(messages, form({ files: txt(1) }), {}),
    answers: [400, 'invalid_input', /field "message"/],
  },
  'a form with too large a file': {
    ...post(messages, form({ message: '{"message_id":"bad"}', files: txt(26 * 1024 * 1024) }), {}),
    answers: [413, 'attachment_refused', /a.txt has 27262976 bytes/],
  },
  'a body that no message can have': {
    ...post(messages, Buffer.alloc(37 * 1024 * 1024)),
    answers: [413, 'attachment_refused', /the request body is larger than 8388608 bytes/],
  },
  'such a body where no file belongs': {
    ...post('/by-rn', Buffer.alloc(37 * 1024 * 1024)),
    answers: [413, 'attachment_refused', /the request body is larger than 8388608 bytes/],
  },
  'an upload that is not a form': {
    ...post('/api/uploads', 'a,b'),
    answers: [400, 'invalid_input', /field "file"/],
  },
  'an upload of a text': {
    ...post('/api/uploads', form({ file: 'a,b' }), {}),
    answers: [400, 'invalid_input', /field "file"/],
  },
  'an upload of nothing': {
    ...post('/api/uploads', form({ file: txt(0) }), {}),
    answers: [413, 'attachment_refused', /a.txt is empty/],
  },
  'an upload of a name that no database can hold': {
    at: '/api/uploads/a%00b',
    answers: [404, 'not_found', /upload .* not found; start a new one/],
  },
  'the end of such an upload': {
    at: '/api/uploads/a%00b',
    method: 'DELETE',
    answers: [404, 'not_found', /upload .* not found; start a new one/],
  },
  'a message with a file of such an upload': {
    ...post(messages, '{"message_id":"bad","attachments":[{"name":"a","upload_id":"a\\u0000b"}]}'),
    answers: [400, 'invalid_input', /^attachments\[0\].upload_id: an id must have 1 to 128/],
  },
  'the conversations of a user that no database can hold': {
    at: '/inspect/dev/dev/conversations?user=a%00b',
    answers: [400, 'invalid_input', /^user: must not contain control characters/],
  },
  'the conversations of an agent that no database can hold': {
    at: '/inspect/dev/dev/conversations?agent=a%00b',
    answers: [400, 'invalid_input', /^agent: must not contain control characters/],
  },
  'a stream from a cursor that is none': {
    at: stream,
    headers: { 'last-event-id': 'yesterday' },
    answers: [400, 'cursor_invalid', /subscribe without a cursor/],
  },
  'the same, asked in the address': {
    at: `${stream}?after=yesterday`,
    answers: [400, 'cursor_invalid', /subscribe without a cursor/],
  },
  'the stream of somebody else': {
    at: stream.replace('conv_mine', 'conv_ann'),
    answers: [404, 'not_found', /conversation conv_ann not found/],
  },
  'the blocks of somebody else': {
    ...post(fetching.replace('conv_mine', 'conv_ann'), '{}'),
    answers: [404, 'not_found', /conversation conv_ann not found/],
  },
  'the blocks of a name that no database can hold': {
    ...post(fetching.replace('conv_mine', 'a%00b'), '{}'),
    answers: [404, 'not_found', /conversation .* not found/],
  },
  'blocks from nowhere': {
    ...post(fetching, '{"after":-1}'),
    answers: [400, 'invalid_input', /^after: /],
  },
  'more conversations than are listed': {
    at: '/conversations/dev/dev?limit=100000',
    answers: [400, 'invalid_input', /^limit: must be between 1 and 200/],
  },
  'a path that names no file': {
    at: '/api/files?path=ar:turn_1.user.prompt&conversation=conv_mine',
    answers: [400, 'invalid_input', /^path: must be a fi: path/],
  },
  'a file of no conversation': {
    at: '/api/files?path=fi:turn_1.outputs/a.txt',
    answers: [400, 'invalid_input', /^conversation: /],
  },
  'a file that is not there': {
    at: '/api/files?path=fi:turn_1.outputs/a.txt&conversation=conv_mine',
    answers: [404, 'not_found', /file fi:turn_1.outputs\/a.txt not found/],
  },
  'a file outside the turn': {
    at: '/api/files?path=fi:turn_1.outputs/../../secrets.yaml&conversation=conv_mine',
    answers: [400, 'invalid_input', /^path: /],
  },
  'a name that is not a path': {
    ...post('/by-rn', '{"rn":"hello"}'),
    answers: [400, 'invalid_input', /^path: /],
  },
  'another tenant': {
    ...post('/api/chat/acme/dev/messages', '{"message_id":"bad","text":"Hello"}'),
    answers: [403, 'forbidden', /unknown tenant "acme"/],
  },
  'another project': {
    at: '/conversations/dev/ops',
    answers: [403, 'forbidden', /project "ops"/],
  },
  'a user that no id can be': {
    at: '/conversations/dev/dev',
    user: '../ann',
    answers: [400, 'invalid_input', /^user: /],
  },
  'a page from elsewhere': {
    at: '/conversations/dev/dev',
    headers: { origin: 'https://evil.example' },
    answers: [403, 'forbidden', /origin https:\/\/evil\.example is not allowed/],
  },
  'an address where nothing is': {
    at: '/api/nothing',
    answers: [404, 'not_found', /no route for GET \/api\/nothing/],
  },
  'an address with another method': {
    at: messages,
    method: 'PUT',
    body: '{}',
    answers: [405, 'wrong_method', /method PUT is not allowed for .*messages; use POST/],
  },
  'a widget that is not there': {
    at: '/api/bundles/dev/dev/desk/widgets/constructor/index.html',
    answers: [404, 'not_found', /no widget "constructor"/],
  },
};

for (const [what, question] of Object.entries(questions)) {
  test(`${what} is refused as ${question.answers[1]}`, async () => {
    const { at, answers, user = 'mallory', ...init } = question;
    const answer = await desk.call(at, { user, ...init });
    const { ok, error } = (await answer.json()) as {
      ok: boolean;
      error: { code: string; message: string };
    };
    expect([answer.status, ok, error.code]).toEqual([answers[0], false, answers[1]]);
    expect(error.message).toMatch(answers[2]);
  });
}
