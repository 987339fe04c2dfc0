import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { connectWith } from '../../../runtime/client/connect.ts';
import type { ChatEvent, Client, Conversation, Turn } from '../../../runtime/client/index.ts';
import { subscriptionsPerSocketMax } from '../../../runtime/gateway/socket/limits.ts';
import { toCallId } from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { openStage, Player, type Stage } from '../gateway/stage.ts';
import { manualTimers } from './manual-timers.ts';

let owned: Scope;
let stage: Stage;
let client: Client;
let timers: ReturnType<typeof manualTimers>;
let isSick = false;
beforeEach(async () => {
  owned = new Scope();
  isSick = false;
  const healthy = owned.own(await openStage());
  const store = sickStore(healthy.deps.store);
  const limits = { user: { perMinute: 1_000 } };
  stage = owned.own(await openStage({ ...healthy.deps, store, limits }));
  timers = manualTimers();
  client = owned.own(connectWith({ url: stage.gateway.url }, timers.later));
});
afterEach(() => owned[Symbol.asyncDispose]());

/** A store that cannot read blocks while `isSick`. */
function sickStore(store: TimelineStore): TimelineStore {
  const read: TimelineStore['read'] = (key, options) =>
    isSick ? Promise.reject(new Error('no such column')) : store.read(key, options);
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** As many conversations as a socket follows, each with an open turn. */
async function fill(): Promise<readonly Conversation[]> {
  const conversations = Array.from({ length: subscriptionsPerSocketMax }, (_, n) =>
    client.conversation(`conv_${n}`),
  );
  for (const conversation of conversations) await conversation.send('Why?');
  return conversations;
}

async function finish(conversation: Conversation | undefined, text = 'done'): Promise<void> {
  const player = await Player.take(stage.deps, conversation?.id ?? '');
  await player.close(text);
  await stage.deps.store.release(player.key, {
    fence: player.fence,
    signal: new AbortController().signal,
  });
}

/** What a conversation tells, without what is said of the telling, until `isLast`. */
async function collect(conversation: Conversation, isLast: (event: ChatEvent) => boolean) {
  const events: ChatEvent[] = [];
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.service') events.push(event);
    if (isLast(event)) return events;
  }
  return events;
}

const endOf =
  ({ id }: Turn) =>
  (event: ChatEvent) =>
    event.type === 'chat.complete' && event.turnId === id;

async function expectWhole(conversation: Conversation, last: Turn): Promise<void> {
  const events = await collect(conversation, endOf(last));
  const reader = owned.own(connectWith({ url: stage.gateway.url }, timers.later));
  const whole = await collect(reader.conversation(conversation.id), endOf(last));
  expect(events.map(({ type, seq }) => [type, seq])).toEqual(
    whole.map(({ type, seq }) => [type, seq]),
  );
}

// proves: client.followed-again
test("a turn beyond the socket's limit is delivered once another conversation is idle", async () => {
  const [first] = await fill();
  const conversation = client.conversation();
  const turn = await conversation.send('And this?');
  await timers.run();
  const retry = timers.next();
  await finish(first);
  await finish(conversation, 'There was room.');
  await retry;
  await timers.runUntil(turn.done());
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'There was room.' });
  await expectWhole(conversation, turn);
});

test('a dropped subscription is renewed, and a message sent before that loses and duplicates nothing', async () => {
  const conversations = await fill();
  const [first, second] = conversations;
  if (!first || !second) throw new Error('nothing to follow');
  await finish(first);
  await collect(first, ({ type }) => type === 'chat.complete');
  const other = client.conversation('conv_other');
  await other.send('Me too');
  await collect(first, ({ type }) => type === 'chat.service');

  // Somebody else adds a turn that this client does not receive, and then this client sends a message.
  const anotherClient = owned.own(connectWith({ url: stage.gateway.url }, timers.later));
  await anotherClient.conversation(first.id).send('From elsewhere');
  await finish(first);
  await finish(second);
  await collect(second, ({ type }) => type === 'chat.complete');
  const turn = await first.send('Go on');
  await finish(first, 'gone on');
  await timers.runUntil(turn.done());
  expect(await turn.done()).toMatchObject({ text: 'gone on' });
  await expectWhole(first, turn);
});

test('a failed subscription is retried from its cursor', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Why?');
  await collect(conversation, ({ type }) => type === 'chat.start');
  isSick = true;
  const player = await Player.take(stage.deps, conversation.id);
  const { path, call } = {
    path: toBlockPath(`ar:${turn.id}.react.notes.1`),
    call: toCallId('none'),
  };
  const note = { author: 'agent' as const, path, call, text: 'noted', data: {} };
  await player.append({ type: 'react.notes', ...note });
  await collect(conversation, ({ type }) => type === 'chat.service');
  isSick = false;
  await player.close('healed');
  await timers.runUntil(turn.done());
  expect(await turn.done()).toMatchObject({ text: 'healed' });
  await expectWhole(conversation, turn);
});

test('the delay before a new subscription grows to its maximum', async () => {
  await fill();
  const conversation = client.conversation();
  await conversation.send('And this?');
  const delays: number[] = [];
  for (let n = 0; n < 9; n += 1) delays.push(await timers.run());
  const bounds = delays.map((_, n) => Math.min(10_000, 250 * 2 ** n));
  for (const [n, delay] of delays.entries()) {
    expect(delay).toBeGreaterThanOrEqual((bounds[n] ?? 0) / 2);
    expect(delay).toBeLessThanOrEqual(bounds[n] ?? 0);
  }
});

test('a conversation that was erased while its subscription was lost ends its listeners', async () => {
  const [first] = await fill();
  await finish(first);
  const conversation = client.conversation();
  await conversation.send('And this?');
  if (!first) throw new Error('nothing to follow');
  await collect(first, ({ type }) => type === 'chat.service');
  const place = `${stage.gateway.url}/conversations/dev/dev/${first.id}`;
  const erased = await fetch(place, { method: 'DELETE' });
  expect(erased.ok).toBe(true);
  const ended = collect(first, () => false);
  await timers.run();
  await expect(ended).rejects.toMatchObject({ code: 'not_found' });
});
