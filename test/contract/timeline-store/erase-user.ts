import { expect, test } from 'vitest';
import type { UserErasure } from '../../../runtime/timeline/ports/erasures.ts';
import type { Sender } from '../../../runtime/timeline/ports/store.ts';
import { longMs, newSender, type StoreUnderTest, signal, started } from './kit.ts';

/** The outbox of users whose things are to be removed. */
export function eraseUserContract(open: () => StoreUnderTest): void {
  const claim = async (user: Sender, ttlMs = longMs) => {
    const claimed = await open().store.erasures.claimUsers({ limit: 1_000, ttlMs, signal });
    return claimed.filter(({ tenant }) => tenant === user.tenant);
  };
  const start = (user: Sender, ttlMs = longMs) =>
    open().store.erasures.startUser(user, { ttlMs, signal });

  // proves: erase.user-outbox
  test('it lists what the user has at the time of the request, and nothing of others or created later', async () => {
    const { store, pass } = open();
    const { erasures } = store;
    const ada = newSender();
    const first = await started(store, ada);
    const second = await started(store, ada);
    await started(store, { ...ada, user: 'bob' });
    await started(store, { ...ada, project: 'other' });
    const erased = await started(store, ada);
    await store.erase(ada, erased.conversation, { signal });
    const erasure = await start(ada);
    expect(erasure).toMatchObject({ ...ada, asked: 1 });
    await pass(5);
    const later = await started(store, ada);
    const ids = (limit: number) => erasures.conversationsOf(erasure, { limit, signal });
    expect(await ids(9)).toEqual([first.conversation, second.conversation]);
    expect(await ids(1)).toEqual([first.conversation]);
    await store.erase(ada, first.conversation, { signal });
    expect(await ids(1)).toEqual([second.conversation]);
    await store.erase(ada, second.conversation, { signal });
    expect(await ids(9)).toEqual([]);
    const again = await start(ada);
    expect(await erasures.conversationsOf(again, { limit: 9, signal })).toEqual([
      later.conversation,
    ]);
  });

  test('what is not settled can be claimed when its claim ends, by one claimant, and what is settled once more', async () => {
    const { store, pass } = open();
    const ada = newSender();
    const erasure = await start(ada, 200);
    expect(await claim(ada)).toEqual([]);
    await pass(300);
    const claims = await Promise.all([claim(ada, 200), claim(ada, 200)]);
    expect(claims.flat()).toEqual([erasure]);
    await pass(300);
    expect(await claim(ada)).toEqual([erasure]);
    const settle = (each = erasure) => store.erasures.settleUser(each, { settleMs: 200, signal });
    expect(await settle()).toBe(true);
    expect(await claim(ada)).toEqual([]);
    await pass(300);
    const late = { ...erasure, late: true };
    expect(await claim(ada)).toEqual([late]);
    expect(await settle(late)).toBe(true);
    expect(await settle(late)).toBe(false);
    await start(ada, 0);
    expect(await claim(ada)).toMatchObject([{ ...ada, asked: 1, late: false }]);
  });

  // proves: erase.user-outbox
  test('a request that comes while another is being served is not settled with it', async () => {
    const { store, pass } = open();
    const ada = newSender();
    const erasure = await start(ada);
    const again = await start(ada, 200);
    expect(again).toMatchObject({ ...ada, asked: 2 });
    const settle = (each: UserErasure) => store.erasures.settleUser(each, { settleMs: 0, signal });
    expect(await settle(erasure)).toBe(false);
    await pass(300);
    expect(await claim(ada)).toEqual([again]);
    expect(await settle({ ...again, user: 'bob' })).toBe(false);
    expect(await settle(again)).toBe(true);
    const third = await start(ada, 0);
    expect(third).toMatchObject({ asked: 3, late: false });
    expect(await settle({ ...again, late: true })).toBe(false);
    expect(await claim(ada)).toEqual([third]);
  });
}
