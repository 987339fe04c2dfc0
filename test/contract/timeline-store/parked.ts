import { expect, test } from 'vitest';
import { type ConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import type { AppendRequest } from '../../../runtime/timeline/ports/append-request.ts';
import type { Lease } from '../../../runtime/timeline/ports/store.ts';
import {
  append,
  close,
  followup,
  longMs,
  own,
  request,
  type StoreUnderTest,
  signal,
  started,
} from './kit.ts';

/** A turn that waits: for an approval, for a tool of the caller's. */
export function parkedContract(open: () => StoreUnderTest): void {
  const swept = async (key: ConversationKey) => {
    const leases = await open().store.sweep({ worker: 's', limit: 1_000, ttlMs: longMs, signal });
    return leases.find(({ row }) => row.key === key);
  };
  const write = (key: ConversationKey, lease: Lease, over: Partial<AppendRequest>) =>
    open().store.append(key, append(lease, over), { signal });
  const release = (key: ConversationKey, { fence }: Lease) =>
    open().store.release(key, { fence, signal });
  const parked = async (dueInMs: number) => {
    const turn = await started(open().store);
    await write(turn.key, turn.lease, { asOf: toSeq(2), dueInMs });
    return turn;
  };

  // proves: store.parked
  test('a parked turn is not pending, and nobody is sent to it before it is due', async () => {
    const late = await parked(longMs);
    expect(await release(late.key, late.lease)).toEqual({ pending: false });
    const { key, lease, turn } = await parked(20);
    expect(await release(key, lease)).toEqual({ pending: false });
    await open().pass(20);
    const found = await open().store.sweep({ worker: 's', limit: 1_000, ttlMs: longMs, signal });
    expect(found.filter(({ row }) => row.key === late.key)).toEqual([]);
    const due = found.find(({ row }) => row.key === key);
    expect(due).toMatchObject({ attempts: 1, row: { openTurn: turn } });
  });

  test('a reactive event makes a parked turn due at once', async () => {
    const { key, lease, sender, conversation } = await parked(longMs);
    await release(key, lease);
    const events = [followup('now')];
    await open().store.accept(request(sender, { conversation, events, reactive: false }), {
      signal,
    });
    expect(await swept(key)).toBeUndefined();
    await open().store.accept(request(sender, { conversation, events }), { signal });
    const found = await swept(key);
    expect(found).toMatchObject({ row: { key } });
    expect(await open().store.release(key, { fence: found?.fence ?? 0, signal })).toEqual({
      pending: true,
    });
  });

  test('an event that the owner had not seen is not parked with the turn', async () => {
    const { store } = open();
    const { key, lease, sender, conversation } = await started(store);
    await store.accept(request(sender, { conversation, events: [followup('late')] }), { signal });
    await write(key, lease, { asOf: toSeq(2), dueInMs: longMs });
    expect(await release(key, lease)).toEqual({ pending: true });
    expect(await swept(key)).toBeDefined();
  });

  test('an event that arrives while a turn is parked does not count as a take-over', async () => {
    const { store } = open();
    const { key, lease, sender, conversation } = await started(store);
    let held = lease;
    for (let seen = 2; seen < 6; seen += 1) {
      await write(key, held, { asOf: toSeq(seen), dueInMs: longMs });
      await store.accept(request(sender, { conversation, events: [followup('now')] }), { signal });
      expect(await release(key, held)).toEqual({ pending: true });
      held = await own(store, key);
      expect(held.attempts).toBe(1);
    }
  });

  test('a parked turn is parked until the next append, which may park it again', async () => {
    const { key, lease } = await parked(longMs);
    await write(key, lease, { asOf: toSeq(3), dueInMs: longMs });
    expect(await release(key, lease)).toEqual({ pending: false });
    const again = await own(open().store, key);
    await write(key, again, {});
    expect(await release(key, again)).toEqual({ pending: true });
    expect(await swept(key)).toBeDefined();
  });

  test('a parked turn that closes is due no more', async () => {
    const { key, lease } = await parked(0);
    await write(key, lease, { blocks: [close(lease)], asOf: toSeq(2), dueInMs: 0 });
    expect(await release(key, lease)).toEqual({ pending: false });
    expect(await swept(key)).toBeUndefined();
  });

  test('a turn is parked with the seq that its owner has seen', async () => {
    const { key, lease } = await started(open().store);
    await expect(write(key, lease, { dueInMs: 1 })).rejects.toMatchObject({ name: 'Defect' });
  });
}
