import type { Clock } from '../base/clock.ts';

export interface ManualClock {
  now(): number;
  /** Advances time; everything that waited for it runs before this resolves. */
  advance(ms: number): Promise<void>;
}

type Sleeper = { readonly untilMs: number; wake(): void };

/** A clock that stands still until a test advances it. `startAt` is ISO 8601. */
export function manualClock(startAt = '2026-01-01T00:00:00.000Z'): ManualClock & Clock {
  const startMs = Date.parse(startAt);
  const sleepers = new Set<Sleeper>();
  let passedMs = 0;
  return {
    now: () => startMs + passedMs,
    monotonic: () => passedMs,
    sleep: (ms, { signal }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const end = (settle: () => void) => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', stop);
          settle();
        };
        const sleeper = { untilMs: passedMs + ms, wake: () => end(resolve) };
        const stop = () => end(() => reject(signal.reason));
        signal.addEventListener('abort', stop);
        sleepers.add(sleeper);
      }),
    advance: async (ms) => {
      // Lets code that is about to sleep start sleeping, so that it is woken in time.
      await turnOfLoop();
      const untilMs = passedMs + ms;
      for (let next = firstOf(sleepers, untilMs); next; next = firstOf(sleepers, untilMs)) {
        passedMs = Math.max(passedMs, next.untilMs);
        next.wake();
        await turnOfLoop();
      }
      passedMs = untilMs;
      await turnOfLoop();
    },
  };
}

export function isClock(clock: ManualClock): clock is ManualClock & Clock {
  return 'sleep' in clock && 'monotonic' in clock;
}

function firstOf(sleepers: ReadonlySet<Sleeper>, untilMs: number): Sleeper | undefined {
  const due = [...sleepers].filter((sleeper) => sleeper.untilMs <= untilMs);
  return due.toSorted((a, b) => a.untilMs - b.untilMs)[0];
}

function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
