import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { type Client, type Conversation, connect } from '../../../runtime/client/index.ts';
import { openStage, Player, type Stage } from '../gateway/stage.ts';

let owned: Scope;
let stage: Stage;
let client: Client;
beforeEach(async () => {
  owned = new Scope();
  stage = owned.own(await openStage());
  client = clientOf();
});
afterEach(() => owned[Symbol.asyncDispose]());

function clientOf(): Client {
  return owned.own(connect({ url: stage.gateway.url }));
}

async function converse(conversation: Conversation, count: number): Promise<readonly string[]> {
  const cursors: string[] = [];
  for (let n = 1; n <= count; n += 1) {
    const turn = await conversation.send(`Question ${n}`);
    const player = await Player.take(stage.deps, conversation.id);
    await player.close();
    const { signal } = new AbortController();
    await stage.deps.store.release(player.key, { fence: player.fence, signal });
    await turn.done();
    cursors.push(conversation.cursor ?? '');
  }
  return cursors;
}

const places = [
  { bundle: 'desk' },
  { agent: 'clerk' },
  { bundle: 'desk', agent: 'clerk' },
  { after: 'now' },
  { tail: 3 },
] as const;

// proves: client.reopen
test.each(places)('the same options, fewer or none open the same object: %o', async (place) => {
  const first = client.conversation('conv_a', place);
  // It is in use from here on.
  expect(first.state.turns).toEqual([]);
  expect(client.conversation('conv_a', place)).toBe(first);
  expect(client.conversation('conv_a', { bundle: undefined, agent: undefined })).toBe(first);
  expect(client.conversation('conv_a')).toBe(first);
});

const conflicts = [
  [{ agent: 'clerk' }, { agent: 'boss' }, 'with agent "clerk"', 'with agent "boss"'],
  [{ bundle: 'desk' }, { bundle: 'lab' }, 'with bundle "desk"', 'with bundle "lab"'],
  [{ after: 'now' }, { after: 'c1' }, 'with after "now"', 'with after "c1"'],
  [{ tail: 3 }, { tail: 20 }, 'with tail 3', 'with tail 20'],
  [{}, { agent: 'boss' }, 'without agent', 'with agent "boss"'],
  [{}, { after: 'now' }, 'without after', 'with after "now"'],
  [{ after: 'now' }, { tail: 20 }, 'without tail', 'with tail 20'],
  [{ agent: 'clerk' }, { agent: 'clerk', tail: 2, bundle: 'desk' }, 'without bundle', '"desk"'],
] as const;

test.each(conflicts)('an open conversation %o cannot be opened %o', (open, other, ...said) => {
  const conversation = client.conversation('conv_a', open);
  expect(conversation.state.turns).toEqual([]);
  const again = () => client.conversation('conv_a', other);
  expect(again).toThrow(expect.objectContaining({ code: 'already_open' }));
  expect(again).toThrow('conv_a is already open in this client');
  for (const value of said) expect(again).toThrow(value);
  expect(again).toThrow('Leave the option out, pass the same value, or connect another client');
  // The refused call changed nothing.
  expect(client.conversation('conv_a', open)).toBe(conversation);
});

test('options are taken over as long as a conversation was only renamed or pinned', async () => {
  await converse(client.conversation('conv_a'), 3);
  const reader = clientOf();
  const item = reader.conversation('conv_a');
  await item.rename('Three questions');
  expect(reader.conversation('conv_a', { tail: 1 })).toBe(item);
  await expect.poll(() => item.state.turns.map(({ prompt }) => prompt)).toEqual(['Question 3']);
  expect(() => reader.conversation('conv_a', { tail: 2 })).toThrow('with tail 1');
});

test('a conversation that is loaded from its beginning can be opened with any tail', async () => {
  const conversation = client.conversation();
  await converse(conversation, 2);
  expect(client.conversation(conversation.id, { tail: 20 })).toBe(conversation);
  expect(client.conversation(conversation.id, { tail: 1 })).toBe(conversation);
  expect(conversation.state.turns).toHaveLength(2);
});

test('another client opens the same conversation with other options', async () => {
  const [first] = await converse(client.conversation('conv_a', { tail: 5 }), 2);
  const other = clientOf().conversation('conv_a', { after: first ?? '' });
  await expect.poll(() => other.state.turns.map(({ prompt }) => prompt)).toEqual(['Question 2']);
});
