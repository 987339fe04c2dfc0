import type { Schedule } from '../../../runtime/client/transport/subscription.ts';

type Timer = { readonly step: () => void; readonly delayMs: number };

/** Timers of a client that a test runs by hand. */
export function manualTimers() {
  const timers = new Set<Timer>();
  const waiting = new Set<() => void>();
  const later: Schedule = (step, delayMs) => {
    const timer = { step, delayMs };
    timers.add(timer);
    for (const wake of [...waiting]) wake();
    return () => timers.delete(timer);
  };
  /** The oldest timer, as soon as there is one. */
  const next = async (): Promise<Timer> => {
    for (;;) {
      const [timer] = timers;
      if (timer) return timer;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
  /** Runs the oldest timer, as soon as there is one; its delay. */
  const run = async (): Promise<number> => {
    const timer = await next();
    timers.delete(timer);
    timer.step();
    return timer.delayMs;
  };
  /** Runs every timer that is set before `end` settles. */
  const runUntil = async (end: Promise<unknown>): Promise<void> => {
    const over = end.then(() => undefined);
    for (;;) {
      const timer = await Promise.race([next(), over]);
      if (!timer) return;
      if (timers.delete(timer)) timer.step();
    }
  };
  return { later, next, run, runUntil };
}
