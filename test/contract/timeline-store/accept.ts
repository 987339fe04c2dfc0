import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { noTurn, toTurnId, turnToChoose } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import { followup, log, newSender, prompt, request, type StoreUnderTest, signal } from './kit.ts';

/** The world's write. */
const oldTurn = toTurnId('turn_old');

export function acceptContract(open: () => StoreUnderTest): void {
  const accept = (...args: Parameters<typeof request>) =>
    open().store.accept(request(...args), { signal });

  test('a first prompt opens a turn and is answered with the turn that its path names', async () => {
    const { store } = open();
    const first = await accept(newSender(), { events: [prompt('hello')] });
    expect(first).toMatchObject({ status: 'started', seq: 2 });
    const [opened, said] = await log(store, first.key);
    expect(opened).toMatchObject({ seq: 1, type: 'turn.open', turn: first.turn, author: 'system' });
    expect(opened?.data).toEqual({ bundle: 'b', agent: 'a' });
    expect(said).toMatchObject({ seq: 2, turn: first.turn, text: 'hello', meta: {} });
    expect(said?.path).toBe(`ar:${first.turn}.user.prompt`);
    expect(said?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('a later event joins the open turn', async () => {
    const sender = newSender();
    const first = await accept(sender);
    const { conversation } = first;
    const second = await accept(sender, { conversation, events: [followup('more')] });
    expect(second).toMatchObject({ status: 'queued', turn: first.turn, seq: 3, key: first.key });
  });

  test('a conversation named by the client is made under that name', async () => {
    const conversation = randomIds.next('conv');
    const first = await accept(newSender(), { conversation });
    expect(first).toMatchObject({ status: 'started', conversation });
  });

  // proves: context.conversations-open
  test('a conversation is made once where nothing is said, and an event opens its first turn', async () => {
    const { store } = open();
    const [sender, conversation] = [newSender(), randomIds.next('conv')];
    const empty = { conversation, message: `open_${conversation}`, events: [], reactive: false };
    const [made, again] = [await accept(sender, empty), await accept(sender, empty)];
    expect(made).toMatchObject({ status: 'queued', conversation, turn: undefined, seq: 0 });
    expect(again).toEqual({ ...made, status: 'duplicate' });
    expect(await store.find(sender, conversation, { signal })).toMatchObject({ head: 0 });
    expect(await accept(newSender(), { ...empty, message: 'm' })).toMatchObject({
      status: 'queued',
    });
    const first = await accept(sender, { conversation });
    expect(first).toMatchObject({ status: 'started', key: made.key, seq: 2 });
    await expect(accept(sender, { events: [] })).rejects.toMatchObject({ name: 'Defect' });
  });

  // proves: store.accept-once
  test('the same message again gets the first answer; another body is a conflict', async () => {
    const sender = newSender();
    const first = request(sender);
    const { store } = open();
    const answer = await store.accept(first, { signal });
    const again = await store.accept({ ...first, newTurn: toTurnId('turn_other') }, { signal });
    expect(again).toEqual({ ...answer, status: 'duplicate' });
    const other = await store.accept({ ...first, digest: 'd2' }, { signal });
    expect(other.status).toBe('conflict');
    expect(await log(store, answer.key)).toHaveLength(2);
  });

  test('of parallel sends of one message one starts and the others are duplicates', async () => {
    const { store } = open();
    const one = request(newSender());
    const turns = Array.from({ length: 8 }, (_, index) => toTurnId(`turn_${index}`));
    const sends = turns.map((newTurn) => {
      return { ...one, newTurn, newConversation: randomIds.next('conv') };
    });
    const answers = await Promise.all(sends.map((each) => store.accept(each, { signal })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<string>(7).fill('duplicate'), 'started']);
    expect(new Set(answers.map(({ turn }) => turn)).size).toBe(1);
    expect(await log(store, answers[0]?.key)).toHaveLength(2);
    expect(await store.list(one.sender, { limit: 9, signal })).toHaveLength(1);
  });

  test('of parallel first messages to one conversation one opens the turn and all are kept', async () => {
    const sender = newSender();
    const conversation = randomIds.next('conv');
    const sends = Array.from({ length: 6 }, () => accept(sender, { conversation }));
    const answers = await Promise.all(sends);
    expect(answers.filter(({ status }) => status === 'started')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'queued')).toHaveLength(5);
    const seqs = (await log(open().store, answers[0]?.key)).map(({ seq }) => seq);
    expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('message ids belong to their sender', async () => {
    const sender = newSender();
    const message = randomIds.next('msg');
    await accept(sender, { message });
    const other = await accept({ ...sender, user: 'bob' }, { message });
    expect(other.status).toBe('started');
  });

  // proves: conversations.own-ids
  test('each user has a conversation of their own under the same id', async () => {
    const { store } = open();
    const sender = newSender();
    const bob = { ...sender, user: 'bob' };
    const { conversation, key } = await accept(sender);
    expect(await store.find(bob, conversation, { signal })).toBeUndefined();
    expect(await accept(bob, { conversation, needsTurn: true })).toMatchObject({
      ...{ status: 'refused', key: undefined, seq: 0 },
    });
    const theirs = await accept(bob, { conversation });
    expect(theirs).toMatchObject({ status: 'started', conversation });
    expect(theirs.key).not.toBe(key);
    expect(await log(store, key)).toHaveLength(2);
    for (const each of [sender, bob]) {
      expect(await store.find(each, conversation, { signal })).toMatchObject(each);
      expect(await store.list(each, { limit: 9, signal })).toHaveLength(1);
    }
    await store.erase(bob, conversation, { signal });
    expect(await store.find(sender, conversation, { signal })).toMatchObject({ key });
  });

  test('an id without a user is the conversation that a bundle opened, or else the oldest', async () => {
    const { store } = open();
    const sender = newSender();
    const scope = { tenant: sender.tenant, project: sender.project };
    const { conversation, key } = await accept(sender);
    await accept({ ...sender, user: 'bob' }, { conversation });
    expect(await store.find(scope, conversation, { signal })).toMatchObject({ key });
    const opened = await accept(
      { ...sender, user: 'eve' },
      { conversation, events: [], reactive: false },
    );
    const found = await store.find(scope, conversation, { signal });
    expect(found).toMatchObject({ key: opened.key, user: 'eve' });
  });

  test('a stale turn, or no turn where one is needed, is refused and nothing is written', async () => {
    const sender = newSender();
    const { store } = open();
    const conversation = randomIds.next('conv');
    const needs = await accept(sender, { conversation, needsTurn: true });
    expect(needs).toEqual({
      status: 'refused',
      key: undefined,
      conversation,
      turn: undefined,
      seq: 0,
      opened: false,
      windowSeq: 1,
    });
    expect(await store.find(sender, conversation, { signal })).toBeUndefined();
    const first = await accept(sender, { conversation });
    const stale = await accept(sender, { conversation, expectTurn: oldTurn });
    expect(stale).toMatchObject({ status: 'refused', turn: first.turn, seq: 2, key: first.key });
    const { turn: expectTurn = noTurn } = first;
    expect(await accept(sender, { conversation, expectTurn })).toMatchObject({
      status: 'queued',
    });
  });

  test('a refused message may come again when it fits', async () => {
    const sender = newSender();
    const { conversation } = await accept(sender);
    const message = randomIds.next('msg');
    const refused = await accept(sender, { conversation, message, expectTurn: oldTurn });
    const again = await accept(sender, { conversation, message });
    expect([refused.status, again.status]).toEqual(['refused', 'queued']);
  });

  test('a word that is not reactive opens no turn', async () => {
    const { store } = open();
    const path = paths.feedback(turnToChoose);
    const events: readonly Draft[] = [{ type: 'feedback', turn: noTurn, author: 'user', path }];
    const sender = newSender();
    const first = await accept(sender, { events, reactive: false });
    expect(first).toMatchObject({ status: 'queued', turn: undefined, seq: 1 });
    const [block] = await log(store, first.key);
    expect(block).toMatchObject({ turn: 'none', path: 'ar:none.feedback.user' });
    const row = await store.find(sender, first.conversation, { signal });
    expect(row).toMatchObject({ head: 1, reactive: 0 });
  });

  test('a steer is identified by its seq', async () => {
    const sender = newSender();
    const { conversation } = await accept(sender);
    const steer = await accept(sender, { conversation, events: [followup('stop', 'steer')] });
    const row = await open().store.find(sender, conversation, { signal });
    expect(row).toMatchObject({ head: 3, reactive: 3, steer: steer.seq });
  });

  test.each(['react.thinking', 'turn.close', 'react.tool.result', 'user.admin', 'external.call'])(
    'an unfenced write of %s is refused as a defect',
    async (type) => {
      const events: readonly Draft[] = [prompt('x'), { type, turn: turnToChoose, author: 'user' }];
      const sender = newSender();
      const { store } = open();
      await expect(store.accept(request(sender, { events }), { signal })).rejects.toMatchObject({
        name: 'Defect',
      });
      expect(await store.list(sender, { limit: 9, signal })).toEqual([]);
    },
  );

  test.each(['a\0b', '\ud800'])('a sender named %j is a defect', async (user) => {
    const sent = open().store.accept(request(newSender(user)), { signal });
    await expect(sent).rejects.toMatchObject({ name: 'Defect' });
  });

  test('an aborted signal stops a write before it starts', async () => {
    const aborted = AbortSignal.abort(new Error('enough'));
    const sender = newSender();
    const { store } = open();
    await expect(store.accept(request(sender), { signal: aborted })).rejects.toThrow('enough');
    expect(await store.list(sender, { limit: 9, signal })).toEqual([]);
  });
}
