import { afterEach, beforeEach, expect, test } from 'vitest';
import { toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../../runtime/timeline/paths.ts';
import { ask, listen, openStage, Player, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
});

// proves: socket.binary-parts
test('a message may bring 20 files as binary parts, and one more is refused', async () => {
  const socket = stage.connect();
  const send = (count: number) => {
    const file = (n: number) => ({ name: `${n}.txt`, mime: 'text/plain', data: Buffer.from('x') });
    const attachments = Array.from({ length: count }, (_, n) => file(n));
    return ask(socket, 'chat_message', { message_id: `m${count}`, text: 'Why?', attachments });
  };
  expect(await send(21)).toMatchObject({ status: 'refused', error: { code: 'invalid_input' } });
  expect(await send(20)).toMatchObject({ ok: true, status: 'started' });
});

test('a prompt starts a turn, and its sender receives everything from its own event on', async () => {
  const socket = stage.connect();
  const { until, heard } = listen(socket);
  const ack = await ask(socket, 'chat_message', { message_id: 'm1', text: 'Why?' });
  expect(ack).toMatchObject({ ok: true, status: 'started', event_id: 'm1', seq: 2 });
  if (!ack.ok) throw new Error('refused');
  const player = await Player.take(stage.deps, ack.conversation_id);
  await player.append({
    type: 'round.open',
    author: 'system',
    data: { round: 1, phase: 'decision', landed: [{ event_id: 'm1', seq: 2 }] },
  });
  await player.delta('answer', 'Be');
  await player.delta('answer', 'cause.', { completed: true });
  await until(({ delta }) => delta?.completed === true);
  await player.append({ type: 'model.call', author: 'system', data: { model: 'secret' } });
  await player.append({
    type: 'assistant.completion',
    author: 'agent',
    path: toBlockPath(`ar:${player.turn}.assistant.completion.1`),
    text: 'Because.',
    data: { stream: `${player.turn}.1.answer.1`, n: 1, degraded: false, followups: ['And?'] },
  });
  await player.close('Because.');
  await until(({ type, data }) => type === 'conv.status' && data?.['state'] === 'idle');
  expect(heard.map(({ route, envelope }) => `${route} ${envelope.type}`)).toEqual([
    'chat_start chat.start',
    'conv_status conv.status',
    'chat_step event.accepted',
    'chat_step round.open',
    'chat_step event.landed',
    'chat_delta chat.delta',
    'chat_delta chat.delta',
    'chat_step chat.completion',
    'chat_step chat.followups',
    'chat_complete chat.complete',
    'conv_status conv.status',
  ]);
  const seqs = heard.map(({ envelope }) => envelope.seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  expect(heard.at(-2)?.envelope.data).toMatchObject({ reason: 'completed', text: 'Because.' });
  expect(heard[5]?.envelope).toMatchObject({
    v: 1,
    round: 1,
    delta: { text: 'Be', offset: 0, marker: 'answer' },
  });
});

// proves: gateway.replay
test('subscribing after a cursor sends exactly what was missed', async () => {
  const first = stage.connect();
  const one = listen(first);
  const ack = await ask(first, 'chat_message', { message_id: 'm1', text: 'Why?' });
  if (!ack.ok) throw new Error('refused');
  const player = await Player.take(stage.deps, ack.conversation_id);
  for (const text of ['a', 'b', 'c']) await player.delta('thinking', text);
  await one.until(({ delta }) => delta?.text === 'c');
  const { cursor } = await one.until(({ delta }) => delta?.text === 'b');
  await player.close();
  await one.until(({ data }) => data?.['state'] === 'idle');

  const second = stage.connect();
  const two = listen(second);
  const subscribed = await ask(second, 'chat_subscribe', {
    conversation_id: ack.conversation_id,
    after: cursor,
  });
  expect(subscribed).toEqual({ ok: true, head: 3 });
  await two.until(({ data }) => data?.['state'] === 'idle');
  const at = one.heard.findIndex(({ envelope }) => envelope.cursor === cursor);
  expect(two.heard).toEqual(one.heard.slice(at + 1));

  const third = stage.connect();
  const three = listen(third);
  await ask(third, 'chat_subscribe', { conversation_id: ack.conversation_id });
  await three.until(({ data }) => data?.['state'] === 'idle');
  expect(three.heard).toEqual(one.heard);
});

// proves: gateway.duplicate-send
test('the same message again is a duplicate, another body under its id a conflict', async () => {
  const socket = stage.connect();
  const body = { conversation_id: 'conv_mine', message_id: 'm1', text: 'Why?' };
  const first = await ask(socket, 'chat_message', body);
  const again = await ask(socket, 'chat_message', body);
  expect(again).toMatchObject({ ok: true, status: 'duplicate', conversation_id: 'conv_mine' });
  expect(again).toEqual({ ...first, status: 'duplicate' });
  const more = { conversation_id: 'conv_mine', kind: 'followup', text: 'and?' };
  const followups = [];
  for (const id of ['m2', 'm3', 'm3']) {
    followups.push(await ask(socket, 'chat_message', { ...more, message_id: id }));
  }
  expect(followups[2]).toEqual({ ...followups[1], status: 'duplicate' });
  const other = await ask(socket, 'chat_message', { ...body, text: 'How?' });
  expect(other).toMatchObject({ ok: false, status: 'conflict', error: { code: 'conflict' } });
});

test('an id from a client may begin with any allowed character', async () => {
  const socket = stage.connect();
  const attachments = [{ name: 'a.txt', mime: 'text/plain', data: 'YWJj' }];
  const [conversation_id, event_id] = ['-V1StGXR8', '_Z5jdHi6B'];
  const first = { conversation_id, message_id: '-first', text: 'Why?' };
  expect(await ask(socket, 'chat_message', first)).toMatchObject({ ok: true, conversation_id });
  const follow = { kind: 'followup', text: 'and?', attachments };
  const more = { ...follow, conversation_id, message_id: event_id };
  expect(await ask(socket, 'chat_message', more)).toMatchObject({ status: 'queued', event_id });
  expect(await ask(socket, 'chat_recall', { conversation_id, event_id })).toMatchObject({
    status: 'recalled',
  });
});

test('a followup and a steer join the open turn, and a steer is signalled', async () => {
  const socket = stage.connect();
  const ack = await ask(socket, 'chat_message', { message_id: 'm1', text: 'Why?' });
  if (!ack.ok) throw new Error('refused');
  const { conversation_id, turn_id } = ack;
  const row = await stage.deps.store.find({ tenant: 'dev', project: 'dev' }, conversation_id, {
    signal: new AbortController().signal,
  });
  const steers: number[] = [];
  using _ = stage.deps.bus.onSteer(toConversationKey(row?.key ?? 0), (seq) => steers.push(seq));
  const follow = { conversation_id, message_id: 'm2', kind: 'followup', text: 'and?' };
  expect(await ask(socket, 'chat_message', follow)).toMatchObject({
    status: 'queued',
    turn_id,
    seq: 3,
  });
  const stop = {
    conversation_id,
    message_id: 'm3',
    kind: 'steer',
    text: '',
    expected_turn_id: turn_id,
  };
  expect(await ask(socket, 'chat_message', stop)).toMatchObject({ status: 'queued', seq: 4 });
  expect(steers).toEqual([4]);
  const stale = { ...stop, message_id: 'm4', expected_turn_id: 'turn_gone' };
  expect(await ask(socket, 'chat_message', stale)).toMatchObject({
    ok: false,
    error: { code: 'turn_changed' },
  });
});

// proves: bad.socket-payload
test.each([
  [{ text: 'no id' }, 'invalid_input', 'message_id'],
  [{ message_id: 'm', text: 7 }, 'invalid_input', 'text'],
  [{ message_id: 'm', text: 'x'.repeat(32_001) }, 'invalid_input', 'text'],
  [{ message_id: 'm', text: ' ' }, 'invalid_input', 'text'],
  [{ message_id: 'm', text: 'a', extra: 1 }, 'invalid_input', 'extra'],
  [{ message_id: '../m', text: 'a' }, 'invalid_input', 'message_id'],
  ['nonsense', 'invalid_input', 'message'],
  [null, 'invalid_input', 'message'],
  [{ message_id: 'm', text: 'a', kind: 'followup' }, 'invalid_input', 'conversation'],
  [
    { message_id: 'm', text: 'a', kind: 'steer', conversation_id: 'conv_none' },
    'not_found',
    'conv_none',
  ],
  [{ message_id: 'm', kind: 'weather', payload: {} }, 'unknown_kind', 'weather'],
  [{ message_id: 'm', kind: 'alert', payload: {} }, 'invalid_input', 'payload.service'],
  [{ message_id: 'm', kind: 'approval.decision', payload: {} }, 'invalid_input', 'conversation_id'],
  [{ message_id: 'm', text: 'a', bundle_id: 'nowhere' }, 'not_found', 'nowhere'],
  [
    { message_id: 'm', text: 'a', attachments: [{ name: 'a.exe', mime: '', data: 'AAAA' }] },
    'attachment_refused',
    'a.exe',
  ],
  [
    {
      message_id: 'm',
      text: 'a',
      attachments: [{ name: 'a.png', mime: 'image/png', data: 'AAAA' }],
    },
    'attachment_refused',
    'a.png',
  ],
  [
    { message_id: 'm', text: 'a', attachments: [{ name: 'a.csv', mime: '' }] },
    'invalid_input',
    'attachments[0]',
  ],
])('an invalid payload is refused with the name of its field: %j', async (payload, code, place) => {
  const socket = stage.connect();
  const ack = await ask(socket, 'chat_message', payload);
  expect(ack).toMatchObject({ ok: false, status: 'refused', error: { code } });
  if (!ack.ok) expect(ack.error.message).toContain(place);
  const fine = await ask(socket, 'chat_message', { message_id: 'fine', text: 'still here?' });
  expect(fine).toMatchObject({ ok: true, status: 'started', seq: 2 });
});

// proves: gateway.attachments
test('an oversized image is refused with the limit, and nothing of the message is kept', async () => {
  const socket = stage.connect();
  const png = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(5 * 1024 * 1024),
  ]);
  const attachments = [{ name: 'big.png', mime: 'image/png', data: png }];
  const ack = await ask(socket, 'chat_message', {
    conversation_id: 'conv_big',
    message_id: 'm',
    text: 'see',
    attachments,
  });
  expect(ack).toMatchObject({ ok: false, error: { code: 'attachment_refused' } });
  if (!ack.ok) expect(ack.error.message).toMatch(/big\.png.*5242880/);
  expect(await ask(socket, 'conv_status', { conversation_id: 'conv_big' })).toMatchObject({
    ok: false,
  });
});

// proves: bad.wrong-tenant
test('another user finds nothing, and another tenant is refused', async () => {
  const mine = stage.connect();
  const ack = await ask(mine, 'chat_message', { message_id: 'm1', text: 'Mine' });
  if (!ack.ok) throw new Error('refused');
  const { conversation_id } = ack;
  const theirs = stage.connect({ user: 'eve' });
  const refused = { ok: false, error: { code: 'not_found' } };
  expect(await ask(theirs, 'chat_subscribe', { conversation_id })).toMatchObject(refused);
  expect(await ask(theirs, 'conv_status', { conversation_id })).toMatchObject(refused);
  const intrusion = { conversation_id, message_id: 'm2', text: 'hello', kind: 'followup' };
  expect(await ask(theirs, 'chat_message', intrusion)).toMatchObject(refused);
  const error = await new Promise<Error>((resolve) => {
    stage.connect({ tenant: 'acme' }).once('connect_error', resolve);
  });
  expect(error.message).toBe('forbidden');
});

test('an altered, foreign or future cursor is refused, and so is an unknown event', async () => {
  const socket = stage.connect();
  const ack = await ask(socket, 'chat_message', {
    conversation_id: 'conv_a',
    message_id: 'm1',
    text: 'a',
  });
  await ask(socket, 'chat_message', { conversation_id: 'conv_b', message_id: 'm2', text: 'b' });
  if (!ack.ok) throw new Error('refused');
  const invalid = { ok: false, error: { code: 'cursor_invalid' } };
  const subscribe = (conversation_id: string, after: string) =>
    ask(socket, 'chat_subscribe', { conversation_id, after });
  expect(await subscribe('conv_b', ack.cursor)).toMatchObject(invalid);
  expect(await subscribe('conv_a', `9${ack.cursor}`)).toMatchObject(invalid);
  expect(await subscribe('conv_a', 'rubbish')).toMatchObject(invalid);
  expect(await subscribe('conv_a', ack.cursor)).toMatchObject({ ok: true });
  for (const event of ['chat_dance', 'constructor', 'toString']) {
    const ack = await ask(socket, event, {});
    expect(ack).toMatchObject({ ok: false, error: { code: 'unknown_event' } });
  }
  // The protocol of Socket.IO also has events that are numbers.
  const numbered: unknown = await Reflect.apply(socket.emitWithAck, socket, [5, {}]);
  expect(numbered).toMatchObject({ ok: false, error: { code: 'unknown_event' } });
});

test('the list of conversations is followed with an empty payload and no other', async () => {
  const socket = stage.connect();
  expect(await ask(socket, 'list_subscribe', {})).toEqual({ ok: true });
  const refused = { ok: false, status: 'refused', error: { code: 'invalid_input' } };
  for (const raw of [null, 'all', { user: 'eve' }])
    expect(await ask(socket, 'list_subscribe', raw)).toMatchObject(refused);
});

test('a client over its rate limit learns when to retry', async () => {
  await using busy = await openStage({ limits: { user: { perMinute: 2 } } });
  const socket = busy.connect();
  for (const id of ['m1', 'm2']) await ask(socket, 'chat_message', { message_id: id, text: 'a' });
  const ack = await ask(socket, 'chat_message', { message_id: 'm3', text: 'a' });
  expect(ack).toMatchObject({ ok: false, error: { code: 'busy' } });
  if (!ack.ok) expect(ack.error.retry_after_ms).toBeGreaterThan(1_000);
});
