import { openMemoryTimelineStore } from '../../../../runtime/adapters/memory/timeline-store.ts';
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
