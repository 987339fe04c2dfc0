import { addAbortListener } from 'node:events';
import type { Clock } from '../../base/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // The promise of node:timers would reject with an AbortError of its own; callers expect the signal's reason.
  sleep: (ms, { signal }) =>
    new Promise((resolve, reject) => {
      let tie: Disposable | undefined;
      const timer = setTimeout(() => {
        tie?.[Symbol.dispose]();
        resolve();
      }, ms);
      // Fires at once if the signal has fired already.
      tie = addAbortListener(signal, () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
};
