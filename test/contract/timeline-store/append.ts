import { expect, test } from 'vitest';
import type { Draft } from '../../../runtime/timeline/block.ts';
import {
  type ConversationKey,
  toCallId,
  toConversationKey,
  toSeq,
  toTurnId,
} from '../../../runtime/timeline/ids.ts';
import { missedBlocksMax } from '../../../runtime/timeline/limits.ts';
import { toBlockPath } from '../../../runtime/timeline/paths.ts';
import type { AppendRequest } from '../../../runtime/timeline/ports/append-request.ts';
import {
  append,
  close,
  followup,
  log,
  longMs,
  own,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

/** The owner's write. */
export function appendContract(open: () => StoreUnderTest): void {
  const write = (key: ConversationKey, what: AppendRequest) =>
    open().store.append(key, what, { signal });
  const followedUp = async (text: string) => {
    const turn = await started(open().store);
    const { sender, conversation } = turn;
    const late = request(sender, { conversation, events: [followup(text)] });
    await open().store.accept(late, { signal });
    return turn;
  };

  test('blocks get the next seqs and the reply tells the row', async () => {
    const { key, lease, turn } = await started(open().store);
    const blocks = [thought(lease, 'one'), thought(lease, 'two')];
    const reply = await write(key, append(lease, { blocks }));
    const expected = { status: 'ok', firstSeq: 3, head: 4, reactive: 2, steer: 0, openTurn: turn };
    expect(reply).toEqual(expected);
    const written = (await log(open().store, key)).slice(2);
    expect(written.map(({ seq, text }) => [seq, text])).toEqual([
      [3, 'one'],
      [4, 'two'],
    ]);
  });

  // proves: store.append-reply
  test('the reply has the blocks after the known head: those of others, then the written ones, as they are read', async () => {
    const { key, lease } = await followedUp('meanwhile');
    const data = { list: [1, 2.5, null], text: 'a\u0000b\ud800' };
    const blocks: readonly Draft[] = [
      { ...thought(lease), data },
      { ...thought(lease, 'second'), call: toCallId('tc_1'), path: toBlockPath('ar:x') },
    ];
    const reply = await write(key, append(lease, { blocks, knownHead: toSeq(2) }));
    const whole = await log(open().store, key);
    expect(reply.blocks).toEqual(whole.slice(2));
    expect(whole.map(({ type }) => type).slice(2)).toEqual([
      'external.followup',
      'react.thinking',
      'react.thinking',
    ]);
  });

  // proves: store.append-reply
  test('an append that is held back or moved replies with the blocks that its owner has not seen', async () => {
    const { key, lease } = await followedUp('wait');
    const closing = { blocks: [thought(lease, 'answer'), close(lease)], asOf: toSeq(2) };
    const moved = await write(key, append(lease, { ...closing, gate: 0, knownHead: toSeq(2) }));
    expect(moved.blocks).toEqual((await log(open().store, key)).slice(2));
    const held = await write(key, append(lease, { ...closing, gate: 1, knownHead: toSeq(2) }));
    expect(held.status).toBe('deferred');
    expect(held.blocks).toEqual((await log(open().store, key)).slice(2));
    expect(held.blocks).toHaveLength(2);
  });

  // proves: store.append-reply
  test('a reply has no blocks for a repeated append, a stale fence, or a head that cannot be known', async () => {
    const { key, lease } = await followedUp('wait');
    const knownHead = toSeq(3);
    const once = append(lease, { knownHead });
    expect(await write(key, once)).toHaveProperty('blocks');
    expect(await write(key, once)).not.toHaveProperty('blocks');
    const others = [append(lease), append(lease, { knownHead: toSeq(99) })];
    for (const each of [...others, { ...once, op: 'op_stale', fence: 99 }]) {
      expect(await write(key, each)).not.toHaveProperty('blocks');
    }
  });

  // proves: store.append-reply
  test('a reply never has more than a limited number of blocks of others', async () => {
    const { sender, conversation, key, lease } = await started(open().store);
    const events = Array.from({ length: missedBlocksMax }, (_, index) => followup(`${index}`));
    await open().store.accept(request(sender, { conversation, events }), { signal });
    const reply = await write(key, append(lease, { knownHead: toSeq(2) }));
    expect(reply.blocks).toHaveLength(missedBlocksMax + 1);
    expect(await write(key, append(lease, { knownHead: toSeq(2) }))).not.toHaveProperty('blocks');
  });

  // proves: store.append-once
  test('the same op again gets the first answer and writes nothing', async () => {
    const { key, lease } = await started(open().store);
    const once = append(lease);
    const first = await write(key, once);
    const again = await Promise.all([1, 2, 3].map(() => write(key, once)));
    expect(again).toEqual([first, first, first]);
    expect(await log(open().store, key)).toHaveLength(3);
  });

  // proves: i2.one-writer, store.fenced-append
  test('a stale fence can neither write nor renew nor release', async () => {
    const { store, pass } = open();
    const { key, lease, conversation, sender } = await started(store);
    await store.renew(key, { fence: lease.fence, ttlMs: 20, signal });
    await pass(40);
    const next = await own(store, key);
    const { fence } = lease;
    expect(await write(key, append(lease))).toMatchObject({ status: 'fenced', firstSeq: 0 });
    expect(await store.renew(key, { fence, ttlMs: longMs, signal })).toBeUndefined();
    await store.release(key, { fence, signal });
    expect(await store.acquire(key, { worker: 'x', ttlMs: longMs, signal })).toBeUndefined();
    expect(await write(key, append(next))).toMatchObject({ status: 'ok', firstSeq: 3 });
    expect(await store.find(sender, conversation, { signal })).toMatchObject({ head: 3 });
  });

  test('nobody writes without a lease: neither before one nor after giving it back', async () => {
    const { store } = open();
    const { key, lease, sender } = await started(store);
    await store.release(key, { fence: lease.fence, signal });
    expect(await write(key, append(lease))).toMatchObject({ status: 'fenced' });
    const fresh = await store.accept(request(sender), { signal });
    const early = { ...append(lease), fence: 0 };
    expect(await write(toConversationKey(fresh.key ?? 0), early)).toMatchObject({
      status: 'fenced',
    });
  });

  test('an unknown conversation is gone', async () => {
    const reply = await write(toConversationKey(9_999_999), { fence: 1, op: 'op_x', blocks: [] });
    expect(reply).toMatchObject({ status: 'gone', head: 0 });
  });

  // proves: i3.gate, store.conditional-close
  test('a close behind the gate is held back while a newer event waits, and goes through after it', async () => {
    const { key, lease } = await followedUp('wait');
    const blocks = [thought(lease, 'answer'), close(lease)];
    const held = append(lease, { blocks, asOf: toSeq(2), gate: 1 });
    const deferred = { status: 'deferred', firstSeq: 4, head: 4, reactive: 3 };
    expect(await write(key, held)).toMatchObject(deferred);
    expect(await write(key, held)).toMatchObject(deferred);
    const closing = append(lease, { blocks: [close(lease)], asOf: toSeq(3), gate: 0 });
    expect(await write(key, closing)).toMatchObject({ status: 'ok', openTurn: undefined });
    const types = (await log(open().store, key)).map(({ type }) => type);
    expect(types).toEqual([
      'turn.open',
      'user.prompt',
      'external.followup',
      'react.thinking',
      'turn.close',
    ]);
  });

  test('an append that is gated whole is moved when a newer event waits', async () => {
    const { key, lease } = await followedUp('wait');
    const closing = append(lease, { blocks: [close(lease)], asOf: toSeq(2), gate: 0 });
    expect(await write(key, closing)).toMatchObject({ status: 'moved', head: 3 });
    expect(await log(open().store, key)).toHaveLength(3);
  });

  test('an append that expects another head is moved', async () => {
    const { key, lease } = await followedUp('wait');
    const moved = await write(key, append(lease, { expectHead: toSeq(2) }));
    expect(moved).toMatchObject({ status: 'moved', firstSeq: 0, head: 3 });
    expect(await write(key, append(lease, { expectHead: toSeq(3) }))).toMatchObject({
      status: 'ok',
    });
  });

  test('a forced close says what it has not answered', async () => {
    const { key, lease } = await followedUp('unseen');
    const closing = append(lease, { blocks: [close(lease)], asOf: toSeq(2) });
    expect(await write(key, closing)).toMatchObject({ status: 'ok', openTurn: undefined });
    const { store } = open();
    expect(await store.release(key, { fence: lease.fence, signal })).toEqual({ pending: true });
  });

  test('a turn closes once, in its own name, and with the seq it has seen', async () => {
    const { key, lease } = await started(open().store);
    const foreign = { ...close(lease), turn: toTurnId('turn_other') };
    await refused(key, append(lease, { blocks: [foreign], asOf: toSeq(2) }));
    await refused(key, append(lease, { blocks: [close(lease)] }));
    await refused(key, append(lease, { blocks: [close(lease), close(lease)], asOf: toSeq(2) }));
    await write(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }));
    await refused(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }));
    const reopened: Draft = { ...close(lease), type: 'turn.open' };
    await write(key, append(lease, { blocks: [reopened] }));
    await refused(key, append(lease, { blocks: [close(lease)], asOf: toSeq(4) }));
  });

  test('one turn is open at a time; an owner may open the next', async () => {
    const { key, lease } = await started(open().store);
    const opening: Draft = { type: 'turn.open', turn: toTurnId('turn_next'), author: 'system' };
    await refused(key, append(lease, { blocks: [opening] }));
    await write(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }));
    const reply = await write(key, append(lease, { blocks: [opening] }));
    expect(reply).toMatchObject({ status: 'ok', openTurn: 'turn_next' });
  });

  // proves: i4.pairs
  test('a call has one result', async () => {
    const { key, lease } = await started(open().store);
    const result: Draft = { ...thought(lease), type: 'react.tool.result', call: toCallId('tc_1') };
    await write(key, append(lease, { blocks: [result] }));
    await refused(key, append(lease, { blocks: [thought(lease), result] }));
    const twice = [1, 2].map(() => ({ ...result, call: toCallId('tc_2') }));
    await refused(key, append(lease, { blocks: twice }));
    expect(await log(open().store, key)).toHaveLength(3);
  });

  test('names that a store cannot hold are a defect', async () => {
    const { key, lease } = await started(open().store);
    for (const path of ['fi:a\0b', 'fi:\ud800']) {
      await refused(
        key,
        append(lease, { blocks: [{ ...thought(lease), path: toBlockPath(path) }] }),
      );
    }
  });

  test('seqs stay gapless while owner and world write at once', async () => {
    const { store } = open();
    const { key, lease, sender, conversation } = await started(store);
    const appends = Array.from({ length: 10 }, () => write(key, append(lease)));
    const accepts = Array.from({ length: 10 }, (_, index) =>
      store.accept(request(sender, { conversation, events: [followup(`${index}`)] }), { signal }),
    );
    const replies = await Promise.all([...appends, ...accepts]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set(['ok', 'queued']));
    const seqs = (await log(store, key)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 22 }, (_, index) => index + 1));
  });

  // proves: store.window
  test('a reader starts at the window that the owner named last', async () => {
    const { key, lease, sender, conversation } = await started(open().store);
    const windowSeq = async () =>
      (await open().store.find(sender, conversation, { signal }))?.windowSeq;
    const compact: Draft = { ...thought(lease), type: 'view.compact' };
    await write(key, append(lease, { blocks: [thought(lease), compact] }));
    expect(await windowSeq()).toBe(1);
    await write(key, append(lease, { blocks: [thought(lease), compact], window: toSeq(3) }));
    expect(await windowSeq()).toBe(3);
    await write(key, append(lease));
    expect(await windowSeq()).toBe(3);
    await write(key, append(lease, { blocks: [compact], window: toSeq(8) }));
    expect(await windowSeq()).toBe(8);
  });

  test('a window starts at a block that is written', async () => {
    const { key, lease } = await started(open().store);
    await refused(key, append(lease, { window: toSeq(4) }));
    await refused(key, append(lease, { window: toSeq(0) }));
    await refused(key, append(lease, { blocks: [], window: toSeq(1) }));
    expect(await log(open().store, key)).toHaveLength(2);
  });

  test('a window is held back with the blocks behind the gate', async () => {
    const { key, lease, sender, conversation } = await followedUp('wait');
    const compact: Draft = { ...thought(lease), type: 'view.compact' };
    const gated = { blocks: [thought(lease), compact], asOf: toSeq(2), gate: 1, window: toSeq(2) };
    expect(await write(key, append(lease, gated))).toMatchObject({ status: 'deferred' });
    const row = await open().store.find(sender, conversation, { signal });
    expect(row).toMatchObject({ windowSeq: 1, head: 4 });
  });

  async function refused(key: ConversationKey, what: AppendRequest): Promise<void> {
    await expect(write(key, what)).rejects.toMatchObject({ name: 'Defect' });
  }
}
