import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { type ChatEvent, type Conversation, connect } from '../../../runtime/client/index.ts';
import { openStage, Player, type Stage } from '../gateway/stage.ts';
import { openWire, type Wire } from './cuttable-proxy.ts';

let owned: Scope;
let stage: Stage;
let wire: Wire;
beforeEach(async () => {
  owned = new Scope();
  stage = owned.own(await openStage());
  wire = owned.own(await openWire(stage.gateway.port));
  const writer = owned.own(connect({ url: stage.gateway.url })).conversation('conv_a');
  for (let n = 1; n <= 5; n += 1) {
    const turn = await writer.send(`question ${n}`);
    await finish(`answer ${n}`);
    await turn.done();
  }
});
afterEach(() => owned[Symbol.asyncDispose]());

async function finish(text: string): Promise<void> {
  const player = await Player.take(stage.deps, 'conv_a');
  await player.close(text);
  const { signal } = new AbortController();
  await stage.deps.store.release(player.key, { fence: player.fence, signal });
}

const open = (options: Parameters<ReturnType<typeof connect>['conversation']>[1] = {}) =>
  owned.own(connect({ url: wire.url })).conversation('conv_a', options);

async function collect(conversation: Conversation, last: string): Promise<readonly ChatEvent[]> {
  const events: ChatEvent[] = [];
  for await (const event of conversation.events()) {
    events.push(event);
    if (event.type === 'chat.complete' && event.data.text === last) return events;
  }
  return events;
}

const prompts = (events: readonly ChatEvent[]) =>
  events.flatMap((event) => (event.type === 'chat.start' ? [event.data.text] : []));

// proves: client.earlier
test('a conversation begins with its last turns, and earlier ones are loaded until there are no more', async () => {
  const conversation = open({ tail: 2 });
  const loading = [conversation.earlier(2), conversation.earlier(9), conversation.earlier(1)];
  const last = await collect(conversation, 'answer 5');
  const [more = [], first = [], none = []] = await Promise.all(loading);
  expect(conversation.hasEarlier).toBe(false);
  expect(prompts(last)).toEqual(['question 4', 'question 5']);
  expect(prompts(more)).toEqual(['question 2', 'question 3']);
  expect(prompts(first)).toEqual(['question 1']);
  expect(none).toEqual([]);
  const whole = await collect(open(), 'answer 5');
  const facts = ({ type, seq }: ChatEvent) => [type, seq];
  expect([...first, ...more, ...last].map(facts)).toEqual(whole.map(facts));
});

test('events before a saved cursor are loaded, even if the connection is lost', async () => {
  const events = await collect(open(), 'answer 4');
  const whole = events.slice(
    0,
    events.findIndex(({ seq }) => seq > 9),
  );
  const conversation = open({ after: whole.at(-1)?.cursor });
  const loading = conversation.earlier(200);
  wire.cut();
  const earlier = await loading;
  expect(earlier.map(({ seq, type }) => [seq, type])).toEqual(
    whole.map(({ seq, type }) => [seq, type]),
  );
});

test('after a lost connection the last turns are not sent again', async () => {
  const conversation = open({ tail: 1 });
  await collect(conversation, 'answer 5');
  wire.cut();
  const turn = await conversation.send('question 6');
  await finish('answer 6');
  await turn.done();
  expect(prompts(await collect(conversation, 'answer 6'))).toEqual(['question 5', 'question 6']);
});

test('a listener is called when earlier turns become known', async () => {
  const conversation = open({ tail: 2 });
  expect(conversation.hasEarlier).toBe(false);
  await new Promise<void>((resolve) => {
    conversation.onChange(() => conversation.hasEarlier && resolve());
  });
});

// proves: client.now
test('a conversation that begins with now loses no events while its connection is lost', async () => {
  const conversation = open({ after: 'now' });
  const loading = conversation.earlier(1);
  expect(prompts(await loading)).toEqual(['question 5']);
  wire.cut();
  const writer = owned.own(connect({ url: stage.gateway.url })).conversation('conv_a');
  const turn = await writer.send('question 6');
  await finish('answer 6');
  await turn.done();
  expect(prompts(await collect(conversation, 'answer 6'))).toEqual(['question 6']);
});

test('a conversation that begins at its start has no earlier events', async () => {
  const whole = open();
  expect(await whole.earlier(5)).toEqual([]);
  expect(whole.hasEarlier).toBe(false);
  expect(await open({ tail: 5 }).earlier(5)).toEqual([]);
});

test.each([
  [{ tail: 1 }, 0],
  [{ tail: 0 }, 1],
])('with %j, %i earlier turns are refused', async (options, count) => {
  await expect(open(options).earlier(count)).rejects.toMatchObject({ code: 'invalid_input' });
});
