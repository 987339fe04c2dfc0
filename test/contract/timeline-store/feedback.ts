import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import { type TurnId, toSeq, toTurnId, turnToChoose } from '../../../runtime/timeline/ids.ts';
import { paths } from '../../../runtime/timeline/paths.ts';
import type {
  ConversationFeedback,
  FeedbackQuery,
  OwnerFilter,
  Sender,
} from '../../../runtime/timeline/ports/store.ts';
import { append, close, request, type StoreUnderTest, signal, started } from './kit.ts';

/** Feedback is found by who gave it, where and when, without reading logs. */
export function feedbackContract(open: () => StoreUnderTest): void {
  const said = (turn: TurnId, text: string): Draft => {
    const data = { turn_id: turn, reaction: 'ok', origin: 'user' };
    return {
      type: 'feedback',
      turn: turnToChoose,
      author: 'user',
      path: paths.feedback(turn),
      text,
      data,
    };
  };
  const give = async (
    { sender, conversation, turn }: { sender: Sender; conversation: string; turn: TurnId },
    text: string,
  ) => {
    const more = { conversation, events: [said(turn, text)], reactive: false };
    return await open().store.accept(request(sender, more), { signal });
  };
  const found = async (sender: OwnerFilter, query: Partial<FeedbackQuery> = {}) =>
    await open().store.feedback(sender, { limit: 10, ...query }, { signal });
  const texts = (all: readonly ConversationFeedback[]) =>
    all.map(({ row, blocks }) => [row.id, ...blocks.map(({ text }) => text)]);

  // proves: feedback.durable
  test('every word of it is found, newest conversation first, and only its own user finds it', async () => {
    const { sender, ...first } = await started(open().store);
    const second = await started(open().store, sender);
    await started(open().store, sender);
    await give({ ...first, sender }, 'one');
    await give({ ...first, sender }, 'two');
    await give({ ...second, sender }, 'three');
    const both = [
      [second.conversation, 'three'],
      [first.conversation, 'one', 'two'],
    ];
    expect(texts(await found(sender))).toEqual(both);
    expect(texts(await found(sender, { limit: 1 }))).toEqual(both.slice(0, 1));
    expect(texts(await found(sender, { before: second.key }))).toEqual(both.slice(1));
    expect(texts(await found(sender, { conversation: first.conversation }))).toEqual(both.slice(1));
    const { user: _, ...project } = sender;
    const every = await found(project, { limit: 100 });
    expect(texts(every)).toEqual(expect.arrayContaining(both));
    for (const user of ['bob', '']) expect(await found({ ...sender, user })).toEqual([]);
    expect(await found({ ...sender, project: 'other' })).toEqual([]);
    const [row] = await found(sender);
    const stored = await open().store.find(sender, second.conversation, { signal });
    expect(row?.row).toEqual(stored);
    expect(row?.blocks[0]).toMatchObject({ type: 'feedback', conversation: second.conversation });
  });

  test('a conversation that is named is found without any; one that is not the sender’s is none', async () => {
    const { sender, conversation } = await started(open().store);
    expect(texts(await found(sender, { conversation }))).toEqual([[conversation]]);
    expect(await found({ ...sender, user: 'bob' }, { conversation })).toEqual([]);
    expect(await found(sender)).toEqual([]);
  });

  test('a period begins with its first moment and ends before its last', async () => {
    const { pass } = open();
    const { sender, ...place } = await started(open().store);
    for (const text of ['one', 'two', 'three']) {
      await give({ ...place, sender }, text);
      await pass(5);
    }
    const [all] = await found(sender);
    const [, from = '', to = ''] = all?.blocks.map(({ at }) => at) ?? [];
    expect(texts(await found(sender, { from, to }))).toEqual([[place.conversation, 'two']]);
    expect(texts(await found(sender, { from }))).toEqual([[place.conversation, 'two', 'three']]);
    expect(await found(sender, { from: '2999-01-01T00:00:00Z' })).toEqual([]);
  });

  test('a fork has what was said before it, if it is named, and says more for itself', async () => {
    const { store } = open();
    const { sender, key, lease, ...place } = await started(store);
    await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }), { signal });
    const { seq: at } = await give({ ...place, sender }, 'before');
    const newConversation = randomIds.next('conv');
    const { conversation } = place;
    await store.fork(sender, { conversation, at, newConversation }, { signal });
    await give({ ...place, sender }, 'after');
    await give({ ...place, sender, conversation: newConversation }, 'in the fork');
    expect(texts(await found(sender, { conversation: newConversation }))).toEqual([
      [newConversation, 'before', 'in the fork'],
    ]);
    expect(texts(await found(sender))).toEqual([
      [newConversation, 'in the fork'],
      [conversation, 'before', 'after'],
    ]);
  });

  test('turns are listed by their names', async () => {
    const { store } = open();
    const { sender, conversation, turn } = await started(store);
    const listed = async (only: readonly TurnId[], user = sender.user) => {
      const query = { targets: ['user'], order: 'asc', offset: 0, limit: 9 } as const;
      const page = await store.turns(
        { ...sender, user },
        { ...query, conversation, only },
        { signal },
      );
      return [page.total, ...page.rows.map((row) => row.turn)];
    };
    expect(await listed([turn, toTurnId('turn_none')])).toEqual([1, turn]);
    expect(await listed([toTurnId('turn_none')])).toEqual([0]);
    expect(await listed([])).toEqual([0]);
    expect(await listed([turn], 'bob')).toEqual([0]);
  });
}
