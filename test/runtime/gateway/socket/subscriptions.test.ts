import { afterEach, beforeEach, expect, test } from 'vitest';
import type {
  MessageAck,
  SubscribeAck,
  WireEnvelope,
} from '../../../../runtime/client/protocol/envelope.ts';
import type { DeclaredKind } from '../../../../runtime/gateway/ports/bundle-directory.ts';
import { subscriptionsPerSocketMax } from '../../../../runtime/gateway/socket/limits.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { ask, bundles, listen, openStage, Player, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage({ limits: { user: { perMinute: 1_000 } } });
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
});

/** A conversation of the given number of turns, each with one answer that was streamed in pieces. */
async function talk(conversation_id: string, turns: number): Promise<void> {
  const socket = stage.connect();
  const { until } = listen(socket);
  for (let n = 1; n <= turns; n += 1) {
    const message = {
      conversation_id,
      message_id: `${conversation_id}-${n}`,
      text: `question ${n}`,
    };
    await ask(socket, 'chat_message', message);
    const player = await Player.take(stage.deps, conversation_id);
    for (let piece = 0; piece < 20; piece += 1) await player.delta('answer', 'word ');
    await until(({ turn_id, delta }) => turn_id === player.turn && delta?.offset === 95);
    await player.append({
      type: 'assistant.completion',
      author: 'agent',
      path: toBlockPath(`ar:${player.turn}.assistant.completion.1`),
      text: `answer ${n}`,
      data: { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false },
    });
    await player.close(`answer ${n}`);
    await until(({ turn_id, data }) => turn_id === player.turn && data?.['state'] === 'idle');
    await stage.deps.store.release(player.key, {
      fence: player.fence,
      signal: new AbortController().signal,
    });
  }
  socket.disconnect();
}

const subscribe = (socket: ReturnType<Stage['connect']>, request: object) =>
  ask<SubscribeAck>(socket, 'chat_subscribe', request);

const prompts = (heard: readonly { readonly type: string; readonly data?: unknown }[]) =>
  heard.filter(({ type }) => type === 'chat.start').map(({ data }) => Object(data).text);

const withoutCursor = ({ cursor: _, ...envelope }: WireEnvelope) => envelope;

// proves: gateway.blocks-only
test('a finished conversation is sent as blocks, without stream deltas', async () => {
  await talk('conv_a', 2);
  const socket = stage.connect();
  const { heard, until } = listen(socket);
  await subscribe(socket, { conversation_id: 'conv_a' });
  await until(({ type, data }) => type === 'chat.complete' && data?.['text'] === 'answer 2');
  expect(heard.filter(({ envelope }) => envelope.delta)).toEqual([]);
  const answers = heard.filter(({ envelope }) => envelope.type === 'chat.completion');
  expect(answers.map(({ envelope }) => envelope.data?.['text'])).toEqual(['answer 1', 'answer 2']);
});

// proves: gateway.tail
test('the last turns are sent, and earlier ones on request, in the same envelopes', async () => {
  await talk('conv_a', 5);
  const whole = stage.connect();
  const { heard: all, until } = listen(whole);
  await subscribe(whole, { conversation_id: 'conv_a' });
  await until(({ type, data }) => type === 'chat.complete' && data?.['text'] === 'answer 5');

  const socket = stage.connect();
  const tail = listen(socket);
  const ack = await subscribe(socket, { conversation_id: 'conv_a', tail: 2 });
  await tail.until(({ type, data }) => type === 'chat.complete' && data?.['text'] === 'answer 5');
  const received = tail.heard.map(({ envelope }) => envelope);
  expect(prompts(received)).toEqual(['question 4', 'question 5']);

  const before = ack.ok ? ack.start : undefined;
  const more = await subscribe(socket, { conversation_id: 'conv_a', tail: 2, before });
  if (!more.ok) throw new Error('refused');
  expect(prompts(more.earlier ?? [])).toEqual(['question 2', 'question 3']);
  const first = await subscribe(socket, { conversation_id: 'conv_a', tail: 9, before: more.start });
  if (!first.ok) throw new Error('refused');
  expect(prompts(first.earlier ?? [])).toEqual(['question 1']);
  expect(first.start).toBeUndefined();
  const pieced = [...(first.earlier ?? []), ...(more.earlier ?? []), ...received];
  const complete = all.map(({ envelope }) => envelope).slice(0, pieced.length);
  expect(pieced.map(withoutCursor)).toEqual(complete.map(withoutCursor));
});

test('history before a saved cursor can be requested, up to that cursor', async () => {
  await talk('conv_a', 2);
  const whole = stage.connect();
  const { heard, until } = listen(whole);
  await subscribe(whole, { conversation_id: 'conv_a' });
  await until(({ type, data }) => type === 'chat.complete' && data?.['text'] === 'answer 2');
  const all = heard.map(({ envelope }) => envelope);
  for (const [at, { cursor }] of all.entries()) {
    const request = { conversation_id: 'conv_a', tail: 200, before: cursor };
    const ack = await subscribe(whole, request);
    const earlier = ack.ok ? (ack.earlier ?? []) : [];
    expect(earlier.map(withoutCursor)).toEqual(all.slice(0, at + 1).map(withoutCursor));
  }
});

test.each([
  { tail: 0 },
  { tail: 201 },
  { tail: 2, after: 'now' },
  { before: 'x' },
  { after: '' },
  { tail: 1, before: '' },
])('a subscription of %j is refused with its place', async (request) => {
  await talk('conv_a', 1);
  const ack = await subscribe(stage.connect(), { conversation_id: 'conv_a', ...request });
  expect(ack).toMatchObject({ ok: false, error: { code: 'invalid_input' } });
});

test('an event stream begins with the last turns', async () => {
  await talk('conv_a', 3);
  const place = `${stage.gateway.url}/api/chat/dev/dev/conversations/conv_a/stream?tail=1`;
  const stop = new AbortController();
  const response = await fetch(place, { signal: stop.signal });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += new TextDecoder().decode(chunk);
    if (text.includes('answer 3') && text.includes('chat_complete')) break;
  }
  stop.abort();
  expect(text).not.toContain('question 2');
  expect(text).not.toContain('chat_delta');
});

// proves: gateway.many-conversations
test('a socket drops subscriptions of finished conversations, not of those with an open turn', async () => {
  const socket = stage.connect();
  const { heard, until } = listen(socket);
  const start = (name: string) =>
    ask<MessageAck>(socket, 'chat_message', {
      conversation_id: name,
      message_id: name,
      text: 'Why?',
    });
  const names = Array.from({ length: subscriptionsPerSocketMax }, (_, n) => `conv_${n}`);
  for (const name of names) expect(await start(name)).toMatchObject({ subscribed: true });

  expect(await start('conv_over')).toMatchObject({
    ok: true,
    status: 'started',
    subscribed: false,
  });
  expect(await subscribe(socket, { conversation_id: 'conv_over' })).toMatchObject({
    ok: false,
    error: { code: 'too_many_subscriptions' },
  });

  const player = await Player.take(stage.deps, 'conv_7');
  await player.close();
  await until(
    ({ conversation_id, data }) => conversation_id === 'conv_7' && data?.['state'] === 'idle',
  );
  expect(await subscribe(socket, { conversation_id: 'conv_over' })).toMatchObject({ ok: true });
  const { cursor } = await until(({ data }) => data?.['code'] === 'unsubscribed');
  expect(heard.find(({ envelope }) => envelope.cursor === cursor)?.envelope).toMatchObject({
    conversation_id: 'conv_7',
  });
  await until(
    ({ conversation_id, type }) => conversation_id === 'conv_over' && type === 'chat.start',
  );
});

// proves: gateway.failed-feed
test('a subscription that fails permanently reports its end, and the socket stays connected', async () => {
  let isSick = false;
  const { store } = stage.deps;
  const read: typeof store.read = (key, options) =>
    isSick ? Promise.reject(new Error('no such column')) : store.read(key, options);
  const sickStore = new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await using sick = await openStage({ store: sickStore });
  await talk('conv_a', 1);
  const socket = sick.connect();
  const { until } = listen(socket);
  isSick = true;
  await subscribe(socket, { conversation_id: 'conv_a' });
  await until(({ type, data }) => type === 'chat.service' && data?.['ended'] === true);
  isSick = false;
  await subscribe(socket, { conversation_id: 'conv_a' });
  await until(({ type }) => type === 'chat.complete');
});

// proves: wire.turn-id
test('an event without a turn has the same empty turn_id in its acknowledgement and its envelope', async () => {
  const parse: DeclaredKind['parse'] = (payload) => ({ ok: true, payload, text: 'A' });
  const kind = (): DeclaredKind => ({ reactive: false, credit: 0, parse });
  await using calm = await openStage({ bundles: { ...bundles, kind } });
  const socket = calm.connect();
  const { until } = listen(socket);
  const sent = { conversation_id: 'conv_a', message_id: 'a1', kind: 'alert', payload: {} };
  const ack = await ask(socket, 'chat_message', sent);
  expect(ack).toMatchObject({ ok: true, turn_id: '' });
  await until(({ type, turn_id }) => type === 'event.accepted' && turn_id === '');
});
