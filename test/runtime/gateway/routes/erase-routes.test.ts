import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bundleUserSpace } from '../../../../runtime/sdk/compile/host/spaces.ts';
import { ask, listen, openStage, Player, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const say = { conversation_id: 'conv_e', message_id: 'm1', text: 'Hello' };
const call = (method: string, path: string, { user = 'dev' } = {}) =>
  fetch(new URL(path, stage.gateway.url), { method, headers: { 'x-timeloom-user': user } });
async function erase({ conversation = 'conv_e', user = 'dev' } = {}) {
  const response = await call('DELETE', `/conversations/dev/dev/${conversation}`, { user });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}
const code = { error: { code: 'not_found' } };

// proves: erase.http
test('erasing a conversation again gives the same answer, and it is not found any more', async () => {
  const socket = stage.connect();
  await ask(socket, 'chat_message', say);
  const erased = {
    status: 200,
    answer: { ok: true, status: 'erased', conversation_id: 'conv_e' },
  };
  expect(await erase()).toEqual(erased);
  expect(await erase()).toEqual(erased);
  expect(await (await call('GET', '/conversations/dev/dev')).json()).toMatchObject({ items: [] });
  for (const [method, path] of [
    ['POST', '/conversations/dev/dev/conv_e/fetch'],
    ['POST', '/conversations/dev/dev/conv_e/fork'],
    ['POST', '/conversations/dev/dev/conv_e/turns-with-feedbacks'],
    ['GET', '/api/chat/dev/dev/conversations/conv_e/stream'],
    ['GET', '/api/files?path=fi:turn_1.files/a.txt&conversation=conv_e'],
  ] as const) {
    const response = await call(method, path);
    expect([path, response.status, await response.json()]).toMatchObject([path, 404, code]);
  }
  const here = { conversation_id: 'conv_e' };
  expect(await ask(socket, 'chat_subscribe', here)).toMatchObject(code);
  expect(await ask(socket, 'conv_status', here)).toMatchObject(code);
  for (const message of [say, { ...say, message_id: 'm2' }, { ...say, text: 'Other' }]) {
    expect(await ask(socket, 'chat_message', message)).toMatchObject({ ok: false, ...code });
  }
});

test('a conversation of another user, or an unknown one, cannot be erased', async () => {
  await ask(stage.connect(), 'chat_message', say);
  expect(await erase({ user: 'bob' })).toMatchObject({ status: 404, answer: code });
  expect(await erase({ conversation: 'conv_none' })).toMatchObject({ status: 404, answer: code });
  expect(await erase({ conversation: 'a.b' })).toMatchObject({ status: 404, answer: code });
  expect(await stage.deps.store.find(scope, 'conv_e', { signal })).toBeDefined();
});

// proves: erase.notice
test('subscribers are notified once, the open turn ends, and the subscription slot is free', async () => {
  const socket = stage.connect();
  const { until, heard } = listen(socket);
  await ask(socket, 'chat_message', say);
  await Player.take(stage.deps, 'conv_e');
  await until(({ type }) => type === 'event.accepted');
  expect((await erase()).status).toBe(200);
  const isTold = ({ data }: { data?: object }) =>
    data !== undefined && 'code' in data && data.code === 'conversation_erased';
  const last = await until((envelope) => envelope.type === 'chat.service' && isTold(envelope));
  expect(last).toMatchObject({ conversation_id: 'conv_e', data: { code: 'conversation_erased' } });
  const ends = heard.filter(({ envelope }) => isTold(envelope)).map(({ route }) => route);
  expect(ends).toEqual(['chat_error', 'chat_service']);
  const metrics = await (await call('GET', '/metrics')).text();
  expect(metrics).toMatch(/subscriptions 0\b/);
});

test('an event stream reports the erasure and ends', async () => {
  await ask(stage.connect(), 'chat_message', say);
  const stream = await call('GET', '/api/chat/dev/dev/conversations/conv_e/stream');
  const reading = stream.text();
  expect((await erase()).status).toBe(200);
  const text = await reading;
  expect(text).toContain('"code":"conversation_erased"');
  expect(text.trim().split('\n\n').at(-1)).toContain('event: chat_service');
});

// proves: erase.user
test('users erase everything that they have, and operators that of others', async () => {
  const { deps } = stage;
  const space = (user: string) => bundleUserSpace('secret', { ...scope, user, bundle: 'desk' });
  const begin = async (user: string) => {
    const socket = stage.connect({ user });
    await ask(socket, 'chat_message', { ...say, conversation_id: `conv_${user}` });
    await deps.storage.set(space(user), 'key', { value: 1 });
  };
  const left = async (user: string) => {
    const { items } = (await (await call('GET', '/conversations/dev/dev', { user })).json()) as {
      items: unknown[];
    };
    return [items.length, (await deps.storage.entries(space(user))).size];
  };
  for (const user of ['ann', 'bob']) await begin(user);
  const mine = await call('DELETE', '/api/me', { user: 'ann' });
  expect([mine.status, await mine.json()]).toEqual([200, { ok: true, status: 'erased' }]);
  expect([await left('ann'), await left('bob')]).toEqual([
    [0, 0],
    [1, 1],
  ]);
  const other = await call('DELETE', '/api/users/dev/dev/bob');
  expect([other.status, await other.json()]).toEqual([200, { ok: true, status: 'erased' }]);
  expect(await left('bob')).toEqual([0, 0]);
  const again = await call('DELETE', '/api/users/dev/dev/bob');
  expect(again.status).toBe(200);
  await deps.storage.set(space('o/x@y'), 'key', { value: 1 });
  await call('DELETE', `/api/users/dev/dev/${encodeURIComponent('o/x@y')}`);
  expect((await deps.storage.entries(space('o/x@y'))).size).toBe(0);
  const bad = await call('DELETE', '/api/users/dev/dev/%07');
  expect([bad.status, await bad.json()]).toMatchObject([400, { error: { code: 'invalid_input' } }]);
});

test('an erasure that cannot be finished now is answered with 202', async () => {
  vi.spyOn(stage.deps.storage, 'removeUser').mockRejectedValueOnce(new Error('unreachable'));
  const answer = await call('DELETE', '/api/me', { user: 'ann' });
  expect([answer.status, await answer.json()]).toEqual([202, { ok: true, status: 'erasing' }]);
});

test('only operators erase other users', async () => {
  const tokens = {
    read: async (token: string) => ({
      ...{ user: token, tenants: ['dev'], projects: ['dev'], untilMs: Date.now() + 60_000 },
      roles: token === 'root' ? ['operator'] : [],
    }),
  };
  await using guarded = await openStage({ auth: { mode: 'jwt', origins: [], tokens } });
  const erase = async (token: string, path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(new URL(path, guarded.gateway.url), { method: 'DELETE', headers })).status;
  };
  expect(await erase('ann', '/api/users/dev/dev/bob')).toBe(403);
  expect(await erase('root', '/api/users/dev/dev/bob')).toBe(200);
  expect(await erase('root', '/api/users/other/dev/bob')).toBe(403);
  expect(await erase('ann', '/api/me')).toBe(200);
});
