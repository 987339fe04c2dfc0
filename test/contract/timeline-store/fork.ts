import { expect, test } from 'vitest';
import { randomIds } from '../../../runtime/adapters/system/ids.ts';
import type { Draft } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  noTurn,
  toCallId,
  toConversationKey,
  toSeq,
} from '../../../runtime/timeline/ids.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { AppendRequest } from '../../../runtime/timeline/ports/append-request.ts';
import type {
  ConversationRow,
  ForkRequest,
  Lease,
  Sender,
} from '../../../runtime/timeline/ports/store.ts';
import {
  append,
  close,
  log,
  longMs,
  own,
  prompt,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

/** A conversation that goes on from a block of another. */
export function forkContract(open: () => StoreUnderTest): void {
  const fork = (
    sender: Sender,
    what: Pick<ForkRequest, 'conversation' | 'at'> & Partial<ForkRequest>,
  ) => open().store.fork(sender, { newConversation: randomIds.next('conv'), ...what }, { signal });
  const forked = async (sender: Sender, conversation: string, at: number) => {
    const answer = await fork(sender, { conversation, at: toSeq(at) });
    if (answer.status !== 'forked') throw new Error(`the fork is ${answer.status}`);
    return answer.row;
  };
  const write = (key: ConversationKey, lease: Lease, over: Partial<AppendRequest> = {}) =>
    open().store.append(key, append(lease, over), { signal });
  const texts = async (key: ConversationKey) =>
    (await log(open().store, key)).map(({ text }) => text);
  /** A conversation of five blocks in an open turn: its opening, a prompt, and the thoughts a, b, c. */
  const parent = async () => {
    const turn = await started(open().store);
    const blocks = ['a', 'b', 'c'].map((text) => thought(turn.lease, text));
    await write(turn.key, turn.lease, { blocks });
    return turn;
  };
  const swept = async ({ key }: ConversationRow) => {
    const leases = await open().store.sweep({ worker: 's', limit: 1_000, ttlMs: longMs, signal });
    return leases.find(({ row }) => row.key === key);
  };

  // proves: fork.shared
  test('a fork has the log up to its point, and neither side sees what the other writes later', async () => {
    const { sender, conversation, key, lease, turn } = await parent();
    const row = await forked(sender, conversation, 4);
    expect(row).toMatchObject({ head: 4, openTurn: turn, forkedFrom: { conversation, seq: 4 } });
    const child = await own(open().store, row.key);
    await write(key, lease, { blocks: [thought(lease, 'd')] });
    const reply = await write(row.key, child, { blocks: [thought(child, 'else')] });
    expect(reply).toMatchObject({ status: 'ok', firstSeq: 5, head: 5 });
    expect(await texts(key)).toEqual([undefined, 'hello', 'a', 'b', 'c', 'd']);
    expect(await texts(row.key)).toEqual([undefined, 'hello', 'a', 'b', 'else']);
    const blocks = await log(open().store, row.key);
    expect(blocks.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(blocks.map((block) => block.conversation))).toEqual(new Set([row.id]));
    const { forkedFrom } = (await open().store.find(sender, conversation, { signal })) ?? {};
    expect(forkedFrom).toBeUndefined();
  });

  test('pages of a fork join to its log, wherever they are cut', async () => {
    const { sender, conversation } = await parent();
    const row = await forked(sender, conversation, 4);
    const child = await own(open().store, row.key);
    await write(row.key, child, { blocks: ['d', 'e'].map((text) => thought(child, text)) });
    const whole = await log(open().store, row.key);
    for (const limit of [1, 2, 3, 4, 5]) {
      const pages = [];
      for (let after = 0; after < 6; after += limit) {
        pages.push(await open().store.read(row.key, { after: toSeq(after), limit, signal }));
      }
      expect(pages.flat()).toEqual(whole);
    }
    expect(whole).toHaveLength(6);
  });

  test('a fork of a fork shares with both, before and after the point where they part', async () => {
    const { sender, conversation } = await parent();
    const row = await forked(sender, conversation, 4);
    const child = await own(open().store, row.key);
    await write(row.key, child, { blocks: ['d', 'e'].map((text) => thought(child, text)) });
    const late = await forked(sender, row.id, 5);
    const early = await forked(sender, row.id, 3);
    expect(late.forkedFrom).toEqual({ conversation: row.id, seq: 5 });
    expect(early.forkedFrom).toEqual({ conversation, seq: 3 });
    const third = await own(open().store, late.key);
    await write(late.key, third, { blocks: [thought(third, 'late')] });
    expect(await texts(late.key)).toEqual([undefined, 'hello', 'a', 'b', 'd', 'late']);
    expect(await texts(early.key)).toEqual([undefined, 'hello', 'a']);
  });

  test('a path names its newest block up to the fork, and after it the own one', async () => {
    const { sender, conversation, key, lease } = await parent();
    const path = 'fi:turn_x.files/a.md';
    const version = (text: string, of = lease): Draft => ({
      ...thought(of, text),
      path: toBlockPath(path),
    });
    await write(key, lease, { blocks: [version('one')] });
    const row = await forked(sender, conversation, 6);
    await write(key, lease, { blocks: [version('two')] });
    const at = (of: number) =>
      open().store.atPath(toConversationKey(of), toBlockPath(path), { signal });
    expect(await at(row.key)).toMatchObject({ text: 'one', seq: 6, conversation: row.id });
    const child = await own(open().store, row.key);
    await write(row.key, child, { blocks: [version('three', child)] });
    expect(await at(row.key)).toMatchObject({ text: 'three', seq: 7 });
    expect(await at(key)).toMatchObject({ text: 'two', seq: 7 });
    const before = await forked(sender, row.id, 5);
    expect(await at(before.key)).toBeUndefined();
  });

  test('a fork is read from the window that was valid at its point', async () => {
    const { sender, conversation, key, lease } = await parent();
    const compact: Draft = { ...thought(lease), type: 'view.compact' };
    await write(key, lease, {
      blocks: [thought(lease), compact, thought(lease)],
      window: toSeq(3),
    });
    await write(key, lease, { blocks: [compact], window: toSeq(6) });
    const windowAt = async (at: number, of = conversation) =>
      (await forked(sender, of, at)).windowSeq;
    const windows = await Promise.all([6, 7, 8, 9].map((at) => windowAt(at)));
    expect(windows).toEqual([1, 3, 3, 6]);
    const row = await forked(sender, conversation, 8);
    const child = await own(open().store, row.key);
    await write(row.key, child, { blocks: [{ ...compact, turn: noTurn }], window: toSeq(9) });
    expect(await windowAt(9, row.id)).toBe(9);
    expect(await windowAt(8, row.id)).toBe(3);
    expect(await windowAt(6, row.id)).toBe(1);
  });

  // proves: fork.open-turn
  test('a turn that is open at the point is due for the first owner to close, on either side', async () => {
    const { sender, conversation, key, lease } = await parent();
    const row = await forked(sender, conversation, 4);
    expect(row).toMatchObject({ reactive: 4, answered: 4, steer: 0 });
    const child = await swept(row);
    if (!child) throw new Error('the fork is not due');
    expect(child).toMatchObject({ attempts: 1, fence: 1 });
    const closing = { blocks: [close(child)], asOf: toSeq(4) };
    expect(await write(row.key, child, closing)).toMatchObject({ openTurn: undefined, head: 5 });
    const { store } = open();
    expect(await store.release(row.key, { fence: 1, signal })).toEqual({ pending: false });
    expect(await swept(row)).toBeUndefined();
    expect(await write(key, lease, { blocks: [close(lease)], asOf: toSeq(5) })).toMatchObject({
      head: 6,
    });
  });

  test('what was said up to the point is not answered again; what is said after it is', async () => {
    const { sender, conversation } = await parent();
    const row = await forked(sender, conversation, 2);
    const said = await open().store.accept(request(sender, { conversation: row.id }), { signal });
    expect(said).toMatchObject({ status: 'queued', seq: 3, key: row.key });
    const child = await own(open().store, row.key);
    await write(row.key, child, { blocks: [close(child)], asOf: toSeq(2) });
    const { fence } = child;
    expect(await open().store.release(row.key, { fence, signal })).toEqual({ pending: true });
  });

  test('a fork between turns waits for its user, and the next prompt opens a turn of its own', async () => {
    const { sender, conversation, key, lease } = await parent();
    await write(key, lease, { blocks: [close(lease)], asOf: toSeq(5) });
    const row = await forked(sender, conversation, 6);
    expect(row).toMatchObject({ openTurn: undefined, head: 6 });
    expect(await swept(row)).toBeUndefined();
    const events = [prompt('another way')];
    const said = { conversation: row.id, events };
    const answer = await open().store.accept(request(sender, said), { signal });
    expect(answer).toMatchObject({ status: 'started', seq: 8 });
    expect(await texts(key)).toHaveLength(6);
  });

  test('a call that has its result up to the point gets no other', async () => {
    const { sender, conversation, key, lease } = await parent();
    const result: Draft = { ...thought(lease), type: 'react.tool.result', call: toCallId('tc_1') };
    await write(key, lease, { blocks: [result] });
    const after = await forked(sender, conversation, 6);
    const before = await forked(sender, conversation, 5);
    const late = await own(open().store, after.key);
    const early = await own(open().store, before.key);
    await expect(write(after.key, late, { blocks: [result] })).rejects.toMatchObject({
      name: 'Defect',
    });
    expect(await write(before.key, early, { blocks: [result] })).toMatchObject({ status: 'ok' });
  });

  test('the same fork again is the same conversation; its name is nobody else’s', async () => {
    const { sender, conversation } = await parent();
    const name = randomIds.next('conv');
    const first = await fork(sender, { conversation, at: toSeq(4), newConversation: name });
    expect(await fork(sender, { conversation, at: toSeq(4), newConversation: name })).toEqual(
      first,
    );
    const racing = randomIds.next('conv');
    const all = await Promise.all(
      [1, 2, 3].map(() => fork(sender, { conversation, at: toSeq(3), newConversation: racing })),
    );
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(await fork(sender, { conversation, at: toSeq(3), newConversation: name })).toEqual({
      status: 'taken',
    });
    expect(
      await fork(sender, { conversation, at: toSeq(3), newConversation: conversation }),
    ).toEqual({
      status: 'taken',
    });
    expect(await open().store.list(sender, { limit: 9, signal })).toHaveLength(3);
  });

  // proves: fork.own-only
  test('only a conversation of the same user is forked, at a block that it has', async () => {
    const { sender, conversation } = await parent();
    for (const at of [0, 6, -1]) {
      expect(await fork(sender, { conversation, at: toSeq(at) })).toEqual({ status: 'beyond' });
    }
    const gone = { status: 'gone' };
    expect(await fork({ ...sender, user: 'bob' }, { conversation, at: toSeq(2) })).toEqual(gone);
    expect(await fork({ ...sender, project: 'other' }, { conversation, at: toSeq(2) })).toEqual(
      gone,
    );
    expect(await fork(sender, { conversation: 'conv_none', at: toSeq(1) })).toEqual(gone);
    expect(await open().store.list(sender, { limit: 9, signal })).toHaveLength(1);
  });
}
