import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, { signal }) => {
    try {
      await setTimeout(ms, undefined, { signal });
    } catch (error) {
      // Node rejects with its own AbortError, but callers expect the signal's reason.
      signal.throwIfAborted();
      throw error;
    }
  },
};
