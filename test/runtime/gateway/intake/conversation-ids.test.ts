import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { createBundleEvents } from '../../../../runtime/gateway/intake/bundle-events.ts';
import { conversationIdOf } from '../../../../runtime/gateway/intake/empty-conversation.ts';
import { ask, bundles, listen, openStage, Player, type Stage, scope, signal } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const id = 'conv_same';
const say = { conversation_id: id, message_id: 'm1', text: 'Mine' };

async function http(user: string, [method, path]: readonly [string, string], body?: object) {
  const response = await fetch(new URL(path, stage.gateway.url), {
    method,
    headers: { 'x-timeloom-user': user, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}
const at = `/conversations/dev/dev`;

// proves: conversations.own-ids
test('two users who choose the same id have two conversations, over a socket and over HTTP', async () => {
  const ada = stage.connect({ user: 'ada' });
  expect(await ask(ada, 'chat_message', say)).toMatchObject({ status: 'started', seq: 2 });
  const theirs = { ...say, text: 'Theirs' };
  const posted = await http('bob', ['POST', '/api/chat/dev/dev/messages'], theirs);
  expect(posted).toMatchObject({ status: 200, answer: { status: 'started', seq: 2 } });
  const bob = stage.connect({ user: 'bob' });
  const { heard, until } = listen(bob);
  expect(await ask(bob, 'chat_subscribe', { conversation_id: id })).toMatchObject({ head: 2 });
  await until(({ type }) => type === 'event.accepted');
  const row = await stage.deps.store.find({ ...scope, user: 'ada' }, id, { signal });
  if (row) await stage.deps.store.setTitle(row.key, 'Plans', { signal });
  const player = await Player.take(stage.deps, id);
  await player.close('for Ada alone');
  for (const [user, text] of [
    ['ada', 'Mine'],
    ['bob', 'Theirs'],
  ] as const) {
    const { answer } = await http(user, ['POST', `${at}/${id}/fetch`]);
    expect(JSON.stringify(answer)).toContain(`"${text}"`);
    expect(answer).toMatchObject({ blocks: { length: user === 'ada' ? 3 : 2 } });
  }
  expect(JSON.stringify(heard)).not.toMatch(/Mine|for Ada|Plans/);
  expect(await http('bob', ['DELETE', `${at}/${id}`])).toMatchObject({ status: 200 });
  expect(await ask(ada, 'conv_status', { conversation_id: id })).toMatchObject({ ok: true });
});

// proves: conversations.own-ids
test('every request for another user’s conversation is answered as if it did not exist', async () => {
  await ask(stage.connect({ user: 'ada' }), 'chat_message', say);
  const row = await stage.deps.store.find({ ...scope, user: 'ada' }, id, { signal });
  const eve = stage.connect({ user: 'eve' });
  const asks = async (name: string) => {
    const there = { conversation_id: name };
    const message = { ...there, message_id: 'm2', text: 'Let me in' };
    const answers = [
      await ask(eve, 'chat_subscribe', there),
      await ask(eve, 'conv_status', there),
      await ask(eve, 'chat_recall', { ...there, event_id: 'm1' }),
      await ask(eve, 'chat_message', { ...message, kind: 'followup' }),
      await ask(eve, 'chat_message', { ...message, kind: 'steer', expected_turn_id: 'turn_1' }),
      await http('eve', ['POST', `${at}/${name}/fetch`]),
      await http('eve', ['POST', `${at}/${name}/fork`], {}),
      await http('eve', ['POST', `${at}/${name}/turns-with-feedbacks`], {}),
      await http('eve', ['POST', `${at}/${name}/turns/${row?.openTurn}/feedback`], {
        reaction: 'ok',
      }),
      await http('eve', ['GET', `/api/chat/dev/dev/conversations/${name}/stream`]),
      await http('eve', ['GET', `/api/files?path=fi:t1.files/a.txt&conversation=${name}`]),
      await http('eve', ['DELETE', `${at}/${name}`]),
      await http('eve', ['POST', `${at}/feedback/conversations-in-period`], {
        ...{ start: '2020-01-01T00:00:00Z', end: '2099-01-01T00:00:00Z', cursor: name },
      }),
    ];
    return JSON.stringify(answers).replaceAll(name, 'ID');
  };
  const foreign = await asks(id);
  expect(foreign).toBe(await asks('conv_none'));
  expect(foreign).not.toContain('"ok":true');
});

// proves: conversations.own-ids
test('a prompt to another user’s conversation with a server-generated id is refused', async () => {
  const answer = await ask(stage.connect({ user: 'ada' }), 'chat_message', {
    ...{ message_id: 'm1', text: 'Mine' },
  });
  const { conversation_id } = z.object({ conversation_id: z.string() }).parse(answer);
  const theirs = { conversation_id, message_id: 'm2', text: 'Let me in' };
  const eve = stage.connect({ user: 'eve' });
  expect(await ask(eve, 'chat_message', theirs)).toMatchObject({
    status: 'refused',
    error: { code: 'not_found' },
  });
  const free = `conv_${'z'.repeat(20)}`;
  const own = { conversation_id: free, message_id: 'm3', text: 'Mine' };
  expect(await ask(eve, 'chat_message', own)).toMatchObject({ status: 'started' });
});

// proves: conversations.own-ids
test('guessing the id of a conversation that a bundle opens gives no access to it', async () => {
  const post = createBundleEvents(stage.deps, scope);
  const here = { ...scope, bundle: 'desk', revision: 'r' };
  const conversation_id = conversationIdOf(
    { ...scope, user: 'ada' },
    { bundle: 'desk', key: 'pager' },
  );
  const squat = { ...say, conversation_id };
  await ask(stage.connect({ user: 'eve' }), 'chat_message', squat);
  const opened = await post.open({ user: 'ada', key: 'pager' }, { ids: here, signal });
  expect(opened).toEqual({ id: conversation_id });
  const declared = bundles.kind('desk', 'alert');
  if (!declared) throw new Error('the desk declares alerts');
  const kind = { kind: 'alert', ...declared };
  const alert = {
    kind,
    given: { service: 'checkout' },
    conversation: conversation_id,
    agent: 'main',
  };
  const late = { ...squat, message_id: 'm2' };
  expect(await ask(stage.connect({ user: 'bob' }), 'chat_message', late)).toMatchObject({
    status: 'started',
  });
  await post.send(alert, { ids: here, signal });
  await post.send(alert, { ids: { ...here, user: 'eve' }, signal });
  const seen = async (user: string) =>
    JSON.stringify((await http(user, ['POST', `${at}/${conversation_id}/fetch`])).answer);
  expect((await seen('ada')).split('"type":"external.alert"')).toHaveLength(2);
  expect((await seen('eve')).split('"type":"external.alert"')).toHaveLength(2);
});
