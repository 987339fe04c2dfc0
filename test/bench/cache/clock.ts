import type { Clock } from '../../../runtime/base/clock.ts';

export type StoryClock = Clock & {
  pass(ms: number): void;
  /** A turn has come to its end. */
  turn?(): void;
};

/** Leases are held by monotonic time, which stands still; nobody here needs to be woken by the clock. */
export function storyClock(): StoryClock {
  let nowMs = Date.parse('2026-01-05T08:00:00.000Z');
  return {
    now: () => nowMs,
    monotonic: () => 0,
    pass: (ms) => {
      nowMs += ms;
    },
    sleep: (_, { signal: until }) =>
      new Promise((_resolve, reject) => {
        if (until.aborted) reject(until.reason);
        until.addEventListener('abort', () => reject(until.reason), { once: true });
      }),
  };
}
