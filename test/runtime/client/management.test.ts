import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Scope } from '../../../runtime/base/scope.ts';
import { type ChatEvent, type Client, connect } from '../../../runtime/client/index.ts';
import { ask, openStage, Player, type Stage } from '../gateway/stage.ts';

let owned: Scope;
let stage: Stage;
let client: Client;
beforeEach(async () => {
  owned = new Scope();
  stage = owned.own(await openStage());
  client = owned.own(connect({ url: stage.gateway.url }));
});
afterEach(() => owned[Symbol.asyncDispose]());

async function all(events: AsyncIterable<ChatEvent>): Promise<readonly ChatEvent[]> {
  const collected: ChatEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}
const titles = async () => (await client.conversations()).items.map(({ title }) => title);

// proves: client.manage
test('a message can be recalled by its handle or id until it is read', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Wait', { messageId: 'm1' });
  expect(await turn.recall()).toBe('recalled');
  expect(await conversation.recall('m1')).toBe('recalled');
  const none = { code: 'not_found' };
  await expect(conversation.recall('m2')).rejects.toMatchObject(none);
  await expect(client.conversation('conv_none').recall('m1')).rejects.toMatchObject(none);
});

// proves: client.list
test('conversations are searched, pinned and listed page by page', async () => {
  for (const title of ['One', 'Two', 'Three']) {
    const conversation = client.conversation();
    await conversation.send(title);
    await conversation.rename(title);
    if (title === 'One') await conversation.pin(true);
  }
  const first = await client.conversations({ limit: 2 });
  expect(first.items[0]).toMatchObject({ title: 'One', pinned: true, working: true });
  const rest = await client.conversations({ limit: 2, cursor: first.nextCursor ?? '' });
  expect(rest.nextCursor).toBeUndefined();
  const all = [...first.items, ...rest.items].map(({ title }) => title);
  expect(all.toSorted()).toEqual(['One', 'Three', 'Two']);
  const { items } = await client.conversations({ q: 'T', state: 'working' });
  expect(items.map(({ title }) => title).toSorted()).toEqual(['Three', 'Two']);
  expect((await client.conversations({ state: 'idle' })).items).toEqual([]);
  await expect(client.conversations({ cursor: 'nonsense' })).rejects.toMatchObject({
    code: 'invalid_input',
  });
});

// proves: client.manage
test('a conversation can be renamed and forked', async () => {
  const conversation = client.conversation(undefined, { bundle: 'desk' });
  await conversation.send('Plan the release');
  await conversation.rename('  The release  ');
  expect(await titles()).toEqual(['The release']);
  for (const title of ['', ' ', 'x'.repeat(201)]) {
    await expect(conversation.rename(title)).rejects.toMatchObject({ code: 'invalid_input' });
  }
  const other = owned.own(connect({ url: stage.gateway.url, user: 'eve' }));
  const theirs = other.conversation(conversation.id);
  await expect(theirs.rename('Mine')).rejects.toMatchObject({ code: 'not_found' });
  const fork = await conversation.fork({ at: 2 });
  expect(fork.id).not.toBe(conversation.id);
  expect(await fork.blocks()).toHaveLength(2);
  expect(await titles()).toEqual(['The release', 'The release']);
  const turn = await fork.send('And then?');
  expect(turn.status).toBe('queued');
  await expect(conversation.fork({ at: 99 })).rejects.toMatchObject({ code: 'invalid_input' });
});

// proves: client.manage
test('erasing a conversation ends its listeners and its turn', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Forget this');
  const collected = all(conversation.events());
  const done = turn.done();
  await conversation.erase();
  expect((await collected).at(-1)).toMatchObject({ data: { code: 'conversation_erased' } });
  expect(await done).toMatchObject({ reason: 'failed', error: { code: 'conversation_erased' } });
  expect((await client.conversations()).items).toEqual([]);
  await expect(conversation.send('Again')).rejects.toMatchObject({ code: 'not_found' });
});

// proves: client.manage
test('feedback and bundles are listed', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('How many?');
  const player = await Player.take(stage.deps, conversation.id);
  await player.close();
  await turn.done();
  expect(await conversation.feedbacks()).toEqual([]);
  await conversation.feedback(turn.id, { reaction: 'not_ok', text: 'No number.' });
  const word = { origin: 'user', reaction: 'not_ok', text: 'No number.', prompt: 'How many?' };
  const listed = await conversation.feedbacks();
  expect(listed).toMatchObject([{ turn: turn.id, ...word }]);
  expect(Date.parse(listed[0]?.at ?? '')).toBeGreaterThan(0);
  await conversation.feedback(turn.id, { reaction: null });
  expect(await conversation.feedbacks()).toEqual([]);
  const desk = { id: 'desk', title: 'Desk', version: '1', default: true };
  expect(await client.bundles()).toEqual([{ ...desk, agents: ['main'], widgets: [] }]);
});

// proves: client.deadline
test('a message to an unreachable or silent server is rejected after its timeout', async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  owned.defer(() => void silent.close());
  for (const url of [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1']) {
    const lost = owned.own(connect({ url, timeoutMs: 50 }));
    const conversation = lost.conversation();
    const sent = conversation.send('Anybody?');
    await expect(sent).rejects.toMatchObject({ name: 'Fault', code: 'SERVER_UNREACHABLE' });
    expect(conversation.state.turns[0]?.failed).toMatchObject({ code: 'not_sent' });
    if (url.endsWith(':1')) {
      await expect(lost.bundles()).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
    }
  }
});

test('a late message that is sent again with its id is accepted once', async () => {
  const conversation = client.conversation();
  const turn = await conversation.send('Once', { messageId: 'm1' });
  const again = await conversation.send('Once', { messageId: 'm1' });
  expect([turn.status, again.status, again.id]).toEqual(['started', 'duplicate', turn.id]);
  const other = client.conversation().send('Once', { messageId: 'm1' });
  await expect(other).rejects.toMatchObject({ code: 'conflict' });
});

// proves: client.disposed
test('closing a client ends iterators and rejects pending results', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', note);
  owned.defer(() => void process.off('unhandledRejection', note));
  const conversation = client.conversation();
  const turn = await conversation.send('A long one');
  const loops = [conversation.events(), turn.events()].map(all);
  const deltas = (async () => {
    for await (const { text } of turn.channel('answer')) expect(text).toBe('');
  })();
  const done = expect(turn.done()).rejects.toMatchObject({ code: 'client_closed' });
  const never = owned.own(connect({ url: 'http://127.0.0.1:1' }));
  loops.push(all(never.conversation('conv_a').events()));
  // Nobody waits for these.
  void all(conversation.events());
  await client[Symbol.asyncDispose]();
  await never[Symbol.asyncDispose]();
  expect((await Promise.all(loops)).map((collected) => collected.length)).toEqual([3, 3, 0]);
  await deltas;
  await done;
  expect(await all(conversation.events())).toHaveLength(3);
  await expect(conversation.send('Late')).rejects.toMatchObject({ code: 'client_closed' });
  await ask(stage.connect(), 'conv_status', { conversation_id: conversation.id });
  expect(unhandled).toEqual([]);
});
