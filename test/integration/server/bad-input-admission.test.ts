import type { Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Ack, connectTo, type Desk, openDesk, say, takeTurn } from './bad-input-desk.ts';

// proves: bad.wrong-tenant, bad.socket-payload, bad.oversized-attachment, gateway.attachments, gateway.duplicate-send

let desk: Desk;
let foreign: Ack;
beforeAll(async () => {
  desk = await openDesk({ slow: [{ thinking: 'A long thought', hold: 'forever' }] });
  const ann = await desk.connect({ user: 'ann' });
  await takeTurn(ann, { conversation_id: 'conv_ann' });
  foreign = await say(ann, { message_id: 'm1', text: 'How is it?', conversation_id: 'conv_ann' });
});
afterAll(() => desk[Symbol.asyncDispose]());

/** A user of its own for each test, with one conversation of one finished turn. */
let user = '';
let socket: Socket;
let number = 0;
beforeEach(async () => {
  number += 1;
  user = `mallory-${number}`;
  socket = await desk.connect({ user });
  await takeTurn(socket, { conversation_id: `conv_${user}` });
});
afterEach(async () => {
  expect(await desk.answer()).toBe('All is well.');
});

type Rejection = Error & { readonly data: { readonly code: string; readonly message: string } };

async function turnedAway(auth: object, headers: Record<string, string> = {}): Promise<Rejection> {
  const error = await connectTo(desk.url, { ...auth }, headers).catch((reason: unknown) => reason);
  return error as Rejection;
}

test('a client that names another tenant or project is refused', async () => {
  const { message, data } = await turnedAway({ tenant: 'acme', project: 'dev' });
  expect(message).toBe('forbidden');
  expect(data).toEqual({
    code: 'forbidden',
    message: 'unknown tenant "acme" or project "dev"',
  });
  expect((await turnedAway({ project: 'ops' })).data.code).toBe('forbidden');
});

test('a client whose user name is not valid is refused', async () => {
  const { data } = await turnedAway({ user: 7, token: {} });
  expect(data.code).toBe('invalid_input');
  expect(data.message).toMatch(/token: .*user: /);
  expect((await turnedAway({ user: '../ann' })).data.message).toMatch(/^user: an id must have/);
});

test('a page from elsewhere does not get in', async () => {
  // The handshake is refused before a socket exists that could say why.
  const { message, data } = await turnedAway({}, { origin: 'https://evil.example' });
  expect([message, data]).toEqual(['websocket error', undefined]);
});

type Asked = {
  readonly event: string;
  readonly send: unknown;
  readonly code: string;
  readonly says: RegExp;
};
const own = (more: object) => ({ conversation_id: `conv_${user}`, ...more });

const questions: Readonly<Record<string, () => Asked>> = {
  'a cursor that is none': () => ({
    event: 'chat_subscribe',
    send: own({ after: 'yesterday' }),
    code: 'cursor_invalid',
    says: /subscribe without a cursor/,
  }),
  'the cursor of another conversation': () => ({
    event: 'chat_subscribe',
    send: own({ after: foreign.cursor }),
    code: 'cursor_invalid',
    says: /does not belong to this conversation/,
  }),
  'a cursor of another type': () => ({
    event: 'chat_subscribe',
    send: own({ after: 3 }),
    code: 'invalid_input',
    says: /^after: /,
  }),
  'a subscription without a conversation': () => ({
    event: 'chat_subscribe',
    send: null,
    code: 'invalid_input',
    says: /expected object/,
  }),
  'a subscription to the conversation of somebody else': () => ({
    event: 'chat_subscribe',
    send: { conversation_id: 'conv_ann' },
    code: 'not_found',
    says: /conversation conv_ann not found/,
  }),
  'the status of the conversation of somebody else': () => ({
    event: 'conv_status',
    send: { conversation_id: 'conv_ann' },
    code: 'not_found',
    says: /conversation conv_ann not found/,
  }),
  'the end of a subscription that is not named': () => ({
    event: 'chat_unsubscribe',
    send: { conversation: 'conv_ann' },
    code: 'invalid_input',
    says: /conversation_id: /,
  }),
  'a recall of what was never said': () => ({
    event: 'chat_recall',
    send: own({ event_id: 'never' }),
    code: 'not_found',
    says: /event never not found/,
  }),
  'an event that nobody knows': () => ({
    event: 'chat_mesage',
    send: {},
    code: 'unknown_event',
    says: /unknown event "chat_mesage"/,
  }),
  'an event named like what every object has': () => ({
    event: 'constructor',
    send: { ok: true },
    code: 'unknown_event',
    says: /"constructor"/,
  }),
};

for (const [what, question] of Object.entries(questions)) {
  test(`${what} is refused, and the socket goes on`, async () => {
    const { event, send, code, says } = question();
    const { ok, error } = (await socket.emitWithAck(event, send)) as Ack;
    expect([ok, error?.code]).toEqual([false, code]);
    expect(error?.message).toMatch(says);
    expect(await socket.emitWithAck('conv_status', own({}))).toMatchObject({ state: 'idle' });
  });
}

test('events that expect no answer, and hold anything, hurt nobody', async () => {
  const anything = [undefined, null, 7, [], 'x', { conversation_id: {} }];
  for (const event of ['chat_message', 'chat_subscribe', 'conv_status', '__proto__', 'x'])
    for (const send of anything) socket.emit(event, send);
  expect(await socket.emitWithAck('conv_status', own({}))).toMatchObject({ ok: true });
  expect(await desk.conversations(user)).toHaveLength(1);
});

test('a message id that is already used for another message is a conflict, and the first one stays', async () => {
  const sent = own({ message_id: 'm2', text: 'One' });
  const first = await say(socket, sent);
  expect(first.ok).toBe(true);
  const other = await say(socket, { ...sent, text: 'Two' });
  expect(other).toMatchObject({ ok: false, status: 'conflict', error: { code: 'conflict' } });
  expect(other.error?.message).toContain('m2 is already used for another message');
  const { cursor: _, ...answer } = first;
  expect(await say(socket, sent)).toMatchObject({ ...answer, status: 'duplicate' });
});

test('a turn that is no longer the one at work gets nothing that was meant for it', async () => {
  const conversation_id = `conv_slow_${user}`;
  const begun = await say(socket, {
    conversation_id,
    message_id: 'm2',
    text: 'Go',
    agent_id: 'slow',
  });
  const meant = { conversation_id, kind: 'followup', text: 'and?' };
  const stale = await say(socket, { ...meant, message_id: 'm3', expected_turn_id: 'turn_old' });
  expect(stale.error).toEqual({
    code: 'turn_changed',
    message: 'turn_old is no longer the open turn',
  });
  const fresh = await say(socket, { ...meant, message_id: 'm3', expected_turn_id: begun.turn_id });
  expect(fresh).toMatchObject({ ok: true, status: 'queued', turn_id: begun.turn_id });
});

test('a packet of more than a message can be ends the connection, and only that', async () => {
  const gone = new Promise((resolve) => socket.once('disconnect', resolve));
  socket.emit('chat_message', { message_id: 'm2', text: 'x'.repeat(37 * 1024 * 1024) });
  await gone;
  expect(await desk.conversations(user)).toHaveLength(1);
  const again = await desk.connect({ user });
  expect((await takeTurn(again, own({ message_id: 'm2' }))).type).toBe('chat.complete');
});

test('names of files become safe ones', async () => {
  const names = ['../../etc/passwd', 'C:\\temp\\a.txt', '...', '\u0000<b>.txt', 'ä\u202Etxt.csv'];
  const attachments = names.map((name) => ({ name, mime: 'text/plain', data: Buffer.from('x') }));
  await takeTurn(socket, own({ message_id: 'm2', attachments }));
  const answer = await desk.call(`/conversations/dev/dev/conv_${user}/fetch`, {
    ...{ user, method: 'POST', body: '{}' },
  });
  const { blocks } = (await answer.json()) as { blocks: { type: string; path: string }[] };
  const paths = blocks.filter(({ type }) => type === 'user.attachment').map(({ path }) => path);
  expect(paths.map((path) => path.replace(/^fi:turn_\w+\.user\.attachments\//, ''))).toEqual([
    ...['passwd', 'a.txt', 'file', 'b.txt', 'ätxt.csv'],
  ]);
});
