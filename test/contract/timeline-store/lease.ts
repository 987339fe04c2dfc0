import { expect, test } from 'vitest';
import { type ConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import {
  append,
  close,
  longMs,
  own,
  request,
  type StoreUnderTest,
  signal,
  started,
  thought,
} from './kit.ts';

/** Who owns a conversation, and who finds the ones that nobody owns. */
export function leaseContract(open: () => StoreUnderTest): void {
  const acquire = (key: ConversationKey, ttlMs = longMs) =>
    open().store.acquire(key, { worker: 'w', ttlMs, signal });
  const release = (key: ConversationKey, fence: number) =>
    open().store.release(key, { fence, signal });
  const swept = async (key: ConversationKey, ttlMs = longMs) => {
    const leases = await open().store.sweep({ worker: 's', limit: 1_000, ttlMs, signal });
    return leases.find(({ row }) => row.key === key);
  };

  test('of racing owners one acquires', async () => {
    const { key, lease } = await started(open().store);
    await release(key, lease.fence);
    const leases = await Promise.all(Array.from({ length: 8 }, () => acquire(key)));
    const held = leases.filter((each) => each !== undefined);
    expect(held).toHaveLength(1);
    expect(held[0]?.fence).toBe(lease.fence + 1);
  });

  test('a lease shows the row and its own terms', async () => {
    const { lease, sender, conversation, key, turn } = await started(open().store);
    expect(lease).toMatchObject({ fence: 1, attempts: 1, ttlMs: longMs });
    const expected = { ...sender, key, id: conversation, openTurn: turn, head: 2, reactive: 2 };
    expect(lease.row).toMatchObject({ ...expected, answered: 0, steer: 0, windowSeq: 1 });
  });

  test('a take-over waits for the lease to end, and is counted until a round closes', async () => {
    const { pass } = open();
    const { key, lease } = await started(open().store);
    expect(await acquire(key)).toBeUndefined();
    await open().store.renew(key, { fence: lease.fence, ttlMs: 20, signal });
    for (const attempts of [2, 3]) {
      await pass(40);
      expect(await acquire(key, 20)).toMatchObject({ attempts, fence: attempts });
    }
    await pass(40);
    const last = await own(open().store, key, 20);
    const closed = { ...thought(last), type: 'round.close' };
    await open().store.append(key, append(last, { blocks: [closed] }), { signal });
    await pass(40);
    expect(await acquire(key)).toMatchObject({ attempts: 1, fence: 5 });
  });

  test('a renewed lease is held on, and tells what arrived', async () => {
    const { store, pass } = open();
    const { key, lease, sender, conversation } = await started(store);
    await store.accept(request(sender, { conversation }), { signal });
    const { fence } = lease;
    const renewed = await store.renew(key, { fence, ttlMs: longMs, signal });
    expect(renewed).toEqual({ head: 3, reactive: 3, steer: 0 });
    await pass(40);
    expect(await acquire(key)).toBeUndefined();
    await release(key, fence);
    expect(await store.renew(key, { fence, ttlMs: longMs, signal })).toBeUndefined();
  });

  test('a release tells whether something is unanswered', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    expect(await release(key, lease.fence)).toEqual({ pending: true });
    const again = await own(store, key);
    await store.append(key, append(again, { blocks: [close(again)], asOf: toSeq(2) }), { signal });
    expect(await release(key, again.fence)).toEqual({ pending: false });
  });

  test('a wake with nothing to do is not counted as a take-over', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    await store.append(key, append(lease, { blocks: [close(lease)], asOf: toSeq(2) }), { signal });
    await release(key, lease.fence);
    for (const attempts of [1, 1, 1]) {
      const idle = await own(store, key);
      expect(idle.attempts).toBe(attempts);
      await release(key, idle.fence);
    }
  });

  test('the sweep finds an unanswered conversation, leases it and backs off', async () => {
    const { store, pass } = open();
    const { key, lease } = await started(store);
    expect(await swept(key)).toBeUndefined();
    await release(key, lease.fence);
    const found = await swept(key, 150);
    expect(found).toMatchObject({ attempts: 2, fence: 2, row: { key } });
    await release(key, found?.fence ?? 0);
    expect(await swept(key)).toBeUndefined();
    await pass(700);
    expect(await swept(key)).toMatchObject({ attempts: 3 });
  });

  test('a round that closes ends the back-off: the sweep finds the conversation when its lease is over', async () => {
    const { store, pass } = open();
    const { key, lease } = await started(store);
    await release(key, lease.fence);
    const found = await swept(key, 100);
    if (!found) throw new Error('the sweep did not find it');
    const closed = { ...thought(found), type: 'round.close' };
    await store.append(key, append(found, { blocks: [closed] }), { signal });
    expect(await swept(key)).toBeUndefined();
    await pass(150);
    expect(await swept(key)).toMatchObject({ attempts: 1 });
  });

  test('the sweep leaves answered conversations alone, and finds what a close left unanswered', async () => {
    const { store } = open();
    const done = await started(store);
    const closing = (seen: typeof done, asOf: number) =>
      store.append(
        seen.key,
        append(seen.lease, { blocks: [close(seen.lease)], asOf: toSeq(asOf) }),
        { signal },
      );
    await closing(done, 2);
    await release(done.key, done.lease.fence);
    expect(await swept(done.key)).toBeUndefined();
    const late = await started(store);
    const { sender, conversation } = late;
    await store.accept(request(sender, { conversation }), { signal });
    await closing(late, 2);
    await release(late.key, late.lease.fence);
    expect(await swept(late.key)).toMatchObject({ row: { openTurn: undefined, answered: 2 } });
  });

  // proves: store.hand-over
  test('a hand-over is due at once and is not counted as a take-over', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    await release(key, lease.fence);
    for (const _ of [1, 2, 3]) {
      const found = await swept(key);
      expect(found).toMatchObject({ attempts: 2 });
      const { fence = 0 } = found ?? {};
      expect(await store.release(key, { fence, handOver: true, signal })).toEqual({
        pending: true,
      });
    }
  });

  test('racing sweeps share the work', async () => {
    const { store } = open();
    const { key, lease } = await started(store);
    await release(key, lease.fence);
    const found = await Promise.all([1, 2, 3, 4].map(() => swept(key)));
    expect(found.filter((each) => each !== undefined)).toHaveLength(1);
  });

  test('a sweep takes no more than it was asked to', async () => {
    const { store } = open();
    for (const _ of [1, 2, 3]) {
      const { key, lease } = await started(store);
      await release(key, lease.fence);
    }
    const options = { worker: 's', limit: 2, ttlMs: longMs, signal };
    expect(await store.sweep(options)).toHaveLength(2);
  });
}
