import { expect, test } from 'vitest';
import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
import { append, log, request, signal, started } from '../../../contract/timeline-store/kit.ts';
import { timelineStoreContract } from '../../../contract/timeline-store.ts';

timelineStoreContract('memory', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => nowMs;
  const store = openMemoryTimelineStore({
    clock: { now, monotonic: now, sleep: async () => undefined },
  });
  return {
    store,
    pass: async (ms) => {
      nowMs += ms;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
});

// proves: store.clock
test('a clock that is set back does not reorder a log', async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const now = () => nowMs;
  const clock = { now, monotonic: now, sleep: async () => undefined };
  await using store = openMemoryTimelineStore({ clock });
  const { key, lease, sender, conversation } = await started(store);
  nowMs -= 3_600_000;
  await store.append(key, append(lease), { signal });
  await store.accept(request(sender, { conversation }), { signal });
  const at = (await log(store, key)).map((block) => block.at);
  expect(at).toEqual(at.toSorted());
});
