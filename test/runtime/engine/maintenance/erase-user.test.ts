import { expect, test, vi } from 'vitest';
import { createStoredFacts } from '../../../../runtime/adapters/facts/stored-facts.ts';
import { openMemoryBlobStore } from '../../../../runtime/adapters/memory/blob-store.ts';
import { openMemoryBus } from '../../../../runtime/adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import {
  erasureClaimMs,
  erasureSettleMs,
  userConversationsPageMax,
  userErasureWaitMs,
} from '../../../../runtime/engine/limits.ts';
import { eraseUser } from '../../../../runtime/engine/maintenance/erase-user.ts';
import { sweepErasures } from '../../../../runtime/engine/maintenance/erasure-sweep.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { bundleUserSpace } from '../../../../runtime/sdk/compile/host/spaces.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { newSender, signal, started } from '../../../contract/timeline-store/kit.ts';

/** A user with conversations, a secret and a fact, on a clock that the test controls. */
async function open({ conversations = 2 } = {}) {
  const clock = manualClock();
  const store = openMemoryTimelineStore({ clock });
  const storage = createMemoryStorage(clock.now);
  const memory = createStoredFacts({ storage, clock, log: silentLog });
  const blobs = openMemoryBlobStore({ now: () => clock.now() });
  const parts = { store, storage, memory, blobs, bus: openMemoryBus(), clock, log: silentLog };
  const ada = newSender();
  for (let left = conversations; left > 0; left -= 1) await started(store, ada);
  const space = bundleUserSpace('secret', { ...ada, bundle: 'desk' });
  await storage.set(space, 'token', { value: 'sealed' });
  const content = { facts: ['keeps bees'] };
  const owner = { ...ada, agent: 'desk/main' };
  await memory.record(
    { owner, scope: 'user', op: '1', conversation: 'conv_1', content },
    { signal },
  );
  const left = async () => ({
    conversations: (await store.list(ada, { limit: 1_000, signal })).length,
    secrets: (await storage.entries(space)).size,
    facts: (await memory.list(ada, { signal })).length,
  });
  return { parts, clock, store, storage, memory, ada, space, left };
}

const nothing = { conversations: 0, secrets: 0, facts: 0 };

// proves: erase.user
test('conversations, values and facts of a user are erased at once, and nothing that comes later', async () => {
  const { parts, clock, store, storage, ada, space, left } = await open({
    conversations: userConversationsPageMax + 2,
  });
  expect(await eraseUser(parts, ada, { signal })).toBe('erased');
  expect(await left()).toEqual(nothing);
  await clock.advance(5);
  await started(store, ada);
  await storage.set(space, 'token', { value: 'new' });
  await clock.advance(erasureSettleMs);
  await sweepErasures(parts, signal);
  expect(await left()).toEqual({ conversations: 1, secrets: 1, facts: 0 });
  await clock.advance(erasureClaimMs);
  expect(await store.erasures.claimUsers({ limit: 9, ttlMs: 1, signal })).toEqual([]);
});

// proves: erase.user
test('a conversation that a slow writer has accepted before the request is erased a little later', async () => {
  const { parts, clock, store, ada, left } = await open();
  vi.spyOn(store.erasures, 'conversationsOf').mockResolvedValueOnce([]);
  expect(await eraseUser(parts, ada, { signal })).toBe('erased');
  expect(await left()).toMatchObject({ conversations: 2 });
  await clock.advance(erasureSettleMs);
  await sweepErasures(parts, signal);
  expect(await left()).toEqual(nothing);
});

// proves: erase.user
test('what cannot be removed in time, or fails, is removed by the sweep', async () => {
  const { parts, clock, storage, memory, ada, left } = await open();
  const slow = {
    removeUser: async () => {
      await clock.advance(userErasureWaitMs);
      return true;
    },
  };
  expect(await eraseUser({ ...parts, storage: slow }, ada, { signal })).toBe('erasing');
  expect(await left()).toEqual({ conversations: 0, secrets: 1, facts: 1 });
  let isAway = true;
  const forget: typeof memory.forget = (...asked) =>
    isAway ? Promise.reject(new Error('unreachable')) : memory.forget(...asked);
  const away = { ...parts, storage, memory: { ...memory, forget } };
  await expect(sweepErasures(away, signal)).rejects.toThrow('unreachable');
  expect(await left()).toEqual({ conversations: 0, secrets: 0, facts: 1 });
  isAway = false;
  await clock.advance(erasureClaimMs);
  await sweepErasures(away, signal);
  expect(await left()).toEqual(nothing);
});
