import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { ask, listen, openStage, Player, type Stage } from '../stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(async () => {
  await stage[Symbol.asyncDispose]();
});

const call = toCallId('tc_1');
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** A conversation whose open turn waits for a decision on `tc_1`. */
async function waiting({ message_id = 'm1', deadline = inAnHour() } = {}) {
  const socket = stage.connect();
  const heard = listen(socket);
  const start = await ask(socket, 'chat_message', { message_id, text: 'Restart it' });
  if (!start.ok) throw new Error('refused');
  const { conversation_id } = start;
  const player = await Player.take(stage.deps, conversation_id);
  const { turn } = player;
  const tool = { tool: 'service.restart', input: {} };
  await player.append(
    {
      type: 'react.tool.call',
      author: 'agent',
      call,
      path: paths.call(turn, call),
      data: { ...tool, waits: 'approval' },
    },
    {
      type: 'approval.request',
      author: 'system',
      call,
      path: paths.approval(turn, 'request', call),
      data: { ...tool, request: call, call, title: 'Restart?', remember: 'once', deadline },
    },
  );
  const decide = (message_id: string, payload: JsonObject) =>
    ask(socket, 'chat_message', {
      conversation_id,
      message_id,
      kind: 'approval.decision',
      payload,
    });
  return { socket, heard, player, turn, conversation_id, decide };
}

// proves: approval.gateway
test('a question reaches its user, and the decision is accepted once', async () => {
  const { heard, decide, turn } = await waiting();
  const { data } = await heard.until(({ type }) => type === 'chat.approval');
  expect(data).toMatchObject({ request: call, tool: 'service.restart', title: 'Restart?' });
  const first = await decide('d1', { request: call, allow: true, remember: 'turn' });
  expect(first).toMatchObject({ ok: true, status: 'queued', turn_id: turn });
  const again = await decide('d1', { request: call, allow: true, remember: 'turn' });
  expect(again).toMatchObject({ ok: true, status: 'duplicate' });
  expect(await decide('d2', { request: call, allow: false })).toMatchObject({
    ok: false,
    error: { code: 'approval_closed' },
  });
});

test('a decision is refused if it is unknown, closed, too late, or from another user', async () => {
  const { decide, player, turn, conversation_id } = await waiting();
  const code = async (message: string, payload: JsonObject) => {
    const ack = await decide(message, payload);
    return ack.ok ? 'taken' : ack.error.code;
  };
  expect(await code('a', { request: 'tc_9', allow: true })).toBe('not_found');
  expect(await code('b', { request: call })).toBe('invalid_input');
  expect(await code('c', { request: call, allow: true, extra: 1 })).toBe('invalid_input');
  expect(await code('d', { request: '../tc', allow: true })).toBe('invalid_input');
  const eve = stage.connect({ user: 'eve' });
  const payload = { request: call, allow: true };
  const theirs = { conversation_id, message_id: 'e', kind: 'approval.decision', payload };
  expect(await ask(eve, 'chat_message', theirs)).toMatchObject({ error: { code: 'not_found' } });
  await player.append({
    type: 'approval.close',
    author: 'system',
    call,
    path: paths.approval(turn, 'close', call),
    data: { request: call, tool: 'service.restart', outcome: 'expired', remember: 'once' },
  });
  expect(await code('f', payload)).toBe('approval_closed');
  await player.close();
  expect(await code('g', payload)).toBe('approval_closed');

  const late = await waiting({
    message_id: 'm2',
    deadline: new Date(Date.now() - 1_000).toISOString(),
  });
  const ack = await late.decide('h', payload);
  expect(ack).toMatchObject({ ok: false, error: { code: 'approval_expired' } });
});

// proves: external.gateway
test('the result of a client is accepted once; a late one is refused', async () => {
  const { socket, heard, player, turn, conversation_id } = await waiting();
  const asked = { call: 'tc_2', tool: 'browser.locate', input: { a: 1 }, deadline: inAnHour() };
  const path = paths.external(turn, 'call', 'tc_2');
  await player.append({
    type: 'external.call',
    author: 'system',
    call: toCallId('tc_2'),
    path,
    data: asked,
  });
  expect((await heard.until(({ type }) => type === 'external.call')).data).toMatchObject(asked);
  const answer = (message_id: string, payload: JsonObject) =>
    ask(socket, 'chat_message', { conversation_id, message_id, kind: 'external.result', payload });
  const good = { call: 'tc_2', ok: true, ret: { lat: 1 } };
  for (const bad of [
    { call: 'tc_2', ok: true },
    { call: 'tc_2', ok: false, error: 'no' },
  ]) {
    expect(await answer('x', bad)).toMatchObject({ error: { code: 'invalid_input' } });
  }
  expect(await answer('r1', good)).toMatchObject({ ok: true, status: 'queued' });
  expect(await answer('r1', good)).toMatchObject({ ok: true, status: 'duplicate' });
  expect(await answer('r2', good)).toMatchObject({ ok: false, error: { code: 'call_closed' } });
  expect(await answer('r3', { ...good, call: 'tc_3' })).toMatchObject({
    error: { code: 'not_found' },
  });
});
