import { afterEach, beforeEach, expect, test } from 'vitest';
import { Fault } from '../../../runtime/base/fault.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import {
  type Client,
  type ConnectOptions,
  type Conversation,
  connect,
  Refusal,
} from '../../../runtime/client/index.ts';
import { lastBlocksFirst } from '../../../runtime/gateway/feed/limits.ts';
import { toCallId, toConversationKey, toSeq, toTurnId } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import { openStage, Player, type Stage, scope, signal } from '../gateway/stage.ts';
import { openWire, type Wire } from './cuttable-proxy.ts';

let owned: Scope;
let stage: Stage;
let wire: Wire;
beforeEach(async () => {
  owned = new Scope();
  stage = owned.own(await openStage());
  wire = owned.own(await openWire(stage.gateway.port));
});
afterEach(() => owned[Symbol.asyncDispose]());

const deadline = () => new Date(Date.now() + 3_600_000).toISOString();
const clientWith = (options: ConnectOptions = {}): Client =>
  owned.own(connect({ url: wire.url, ...options }));

function askApproval(player: Player, call = toCallId('tc_1')) {
  const data = { request: call, call, tool: 'service.restart', input: { service: 'search' } };
  return player.append({
    type: 'approval.request',
    author: 'system',
    call,
    path: paths.approval(player.turn, 'request', call),
    data: { ...data, title: 'Restart?', remember: 'once', deadline: deadline() },
  });
}

function askClient(player: Player, call = toCallId('tc_1')) {
  const data = { call, tool: 'browser.locate', input: { exact: true }, deadline: deadline() };
  const path = paths.external(player.turn, 'call', call);
  return player.append(
    {
      type: 'react.tool.call',
      author: 'agent',
      call,
      path: paths.call(player.turn, call),
      data: { tool: 'browser.locate', input: {}, waits: 'external' },
    },
    { type: 'external.call', author: 'system', call, path, data },
  );
}

function finish(player: Player, call = toCallId('tc_1')) {
  const path = paths.result(player.turn, call);
  const data = { ok: true, ret: 1 };
  return player.append({ type: 'react.tool.result', author: 'tool', call, path, data });
}

/** What clients have answered, as the log has it. */
async function answers(conversation: string) {
  const row = await stage.deps.store.find(scope, conversation, { signal });
  const blocks = await stage.deps.store.read(toConversationKey(row?.key ?? 0), {
    after: toSeq(0),
    limit: 1_000,
    signal,
  });
  return blocks.filter(({ type }) => type === 'external.result').map(({ data }) => data);
}

// proves: client.approval
test('an approval request is an event and stays in the state until it is decided', async () => {
  const client = clientWith();
  const conversation = client.conversation();
  const turn = await conversation.send('Restart it');
  const player = await Player.take(stage.deps, conversation.id);
  await askApproval(player);
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    expect(event.data).toMatchObject({ title: 'Restart?', input: { service: 'search' } });
    await conversation.decide(event.data.request, { allow: true, remember: 'turn' });
    break;
  }
  expect(conversation.state.approvals).toEqual([
    { request: 'tc_1', title: 'Restart?', tool: 'service.restart', turn: turn.id },
  ]);
  await player.append({
    type: 'approval.close',
    author: 'system',
    call: toCallId('tc_1'),
    path: paths.approval(toTurnId(turn.id), 'close', toCallId('tc_1')),
    data: { request: 'tc_1', tool: 'service.restart', outcome: 'allowed', remember: 'turn' },
  });
  await until(conversation, () => conversation.state.approvals.length === 0);
  await expect(conversation.decide('tc_1', { allow: false })).rejects.toMatchObject({
    code: 'approval_closed',
  });
});

// proves: external.performed
test('a call runs once, even if the connection is lost, and its result arrives', async () => {
  const seen: unknown[] = [];
  const work = latch<number>();
  const begun = latch<void>();
  const client = clientWith({
    tools: {
      'browser.locate': async (input) => {
        seen.push(input);
        begun.resolve();
        return { lat: await work.promise };
      },
    },
  });
  const conversation = client.conversation();
  await conversation.send('Where am I?');
  const player = await Player.take(stage.deps, conversation.id);
  await askClient(player);
  await begun.promise;
  expect(conversation.state.status).toBe('parked');
  wire.cut();
  work.resolve(52);
  await heard(conversation.id);
  wire.cut();
  await finish(player);
  await player.close();
  await until(conversation, () => conversation.state.status === 'idle');
  expect(seen).toEqual([{ exact: true }]);
  expect(await answers(conversation.id)).toEqual([{ call: 'tc_1', ok: true, ret: { lat: 52 } }]);
});

const notice = { type: 'react.notice', author: 'system' } as const;

test.each([
  ['the call', []],
  ['a block that clients are not sent', [notice]],
  ['more of them than are looked at first', Array.from({ length: lastBlocksFirst }, () => notice)],
])('a replayed call runs only if it has no answer yet; the log ends with %s', async (_, more) => {
  const first = clientWith().conversation('conv_past');
  await first.send('Where am I?');
  const player = await Player.take(stage.deps, 'conv_past');
  await askClient(player, toCallId('tc_old'));
  await finish(player, toCallId('tc_old'));
  await askClient(player, toCallId('tc_new'));
  await player.append(...more);
  const calls: string[] = [];
  const locate = async () => {
    calls.push('performed');
    return 1;
  };
  const later = clientWith({ tools: { 'browser.locate': locate } });
  expect(later.conversation('conv_past').state.turns).toEqual([]);
  await heard('conv_past');
  expect(await answers('conv_past')).toEqual([{ call: 'tc_new', ok: true, ret: 1 }]);
  expect(calls).toEqual(['performed']);
});

test('a failed tool reports its error, and an unknown tool is left to other clients', async () => {
  const client = clientWith({
    tools: {
      'browser.locate': () => {
        throw new Refusal('not_allowed', 'Location is off.');
      },
    },
  });
  const conversation = client.conversation();
  await conversation.send('Where am I?');
  const player = await Player.take(stage.deps, conversation.id);
  await player.append({
    type: 'external.call',
    author: 'system',
    call: toCallId('tc_0'),
    path: paths.external(player.turn, 'call', 'tc_0'),
    data: { call: 'tc_0', tool: 'browser.print', input: {}, deadline: deadline() },
  });
  await askClient(player);
  await heard(conversation.id);
  const error = { code: 'not_allowed', message: 'Location is off.' };
  expect(await answers(conversation.id)).toEqual([{ call: 'tc_1', ok: false, error }]);
});

test('a call that is over is aborted', async () => {
  const begun = latch<AbortSignal>();
  const client = clientWith({
    tools: {
      'browser.locate': (_, options) => {
        begun.resolve(options.signal);
        return new Promise(() => {});
      },
    },
  });
  const conversation = client.conversation();
  await conversation.send('Where am I?');
  const player = await Player.take(stage.deps, conversation.id);
  await askClient(player);
  const stopped = await begun.promise;
  await finish(player);
  await new Promise((resolve) => stopped.addEventListener('abort', resolve));
  expect(stopped.reason).toMatchObject({ code: 'call_over' });
});

// proves: client.duplicate-ended
test('a message sent again after its turn has ended gets the result of that turn', async () => {
  const client = clientWith();
  const conversation = client.conversation('conv_twice');
  const turn = await conversation.send('Hello', { messageId: 'm_again' });
  const player = await Player.take(stage.deps, 'conv_twice');
  await player.close('Good day.');
  await turn.done();
  const { cursor = '' } = conversation;

  const again = await conversation.send('Hello', { messageId: 'm_again' });
  expect(again.status).toBe('duplicate');
  expect(await again.done()).toMatchObject({ reason: 'completed', text: 'Good day.' });

  const late = clientWith().conversation('conv_twice', { after: cursor });
  const other = await late.send('Hello', { messageId: 'm_again' });
  expect(await other.done()).toMatchObject({ reason: 'completed', text: 'Good day.' });
  const events: string[] = [];
  for await (const { type } of again.events()) events.push(type);
  expect(events).toContain('chat.complete');
});

// proves: client.duplicate-ended
test('the result of a turn that has ended is read again while the store does not respond', async () => {
  const conversation = clientWith().conversation();
  const turn = await conversation.send('Hello', { messageId: 'm_again' });
  const player = await Player.take(stage.deps, conversation.id);
  await player.close('Good day.');
  await turn.done();
  const again = await conversation.send('Hello', { messageId: 'm_again' });
  const { store } = stage.deps;
  const read = store.read.bind(store);
  let failures = 2;
  store.read = async (...request) => {
    failures -= 1;
    if (failures >= 0) throw new Fault('STORE_UNAVAILABLE');
    return read(...request);
  };
  expect(await again.done()).toMatchObject({ reason: 'completed', text: 'Good day.' });
  expect(failures).toBeLessThan(0);
});

// proves: client.duplicate-ended
test('a client that is closed stops waiting for a server that does not respond', async () => {
  const client = clientWith();
  const conversation = client.conversation();
  await conversation.send('Hello', { messageId: 'm_again' });
  const again = await conversation.send('Hello', { messageId: 'm_again' });
  const failed = latch<void>();
  stage.deps.store.read = async () => {
    failed.resolve();
    throw new Fault('STORE_UNAVAILABLE');
  };
  const done = again.done();
  await failed.promise;
  await client[Symbol.asyncDispose]();
  await expect(done).rejects.toMatchObject({ code: 'client_closed' });
});

function latch<T>() {
  let resolve = (_: T) => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve: (value: T) => resolve(value) };
}

/** Resolves when the answer of a client is in the log. */
async function heard(conversation: string): Promise<void> {
  const row = await stage.deps.store.find(scope, conversation, { signal });
  for (;;) {
    const next = latch<void>();
    using _ = stage.deps.bus.subscribe(toConversationKey(row?.key ?? 0), () => next.resolve());
    if ((await answers(conversation)).length > 0) return;
    await next.promise;
  }
}

function until(conversation: Conversation, isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isSo()) return;
      off();
      resolve();
    };
    const off = conversation.onChange(check);
    check();
  });
}
