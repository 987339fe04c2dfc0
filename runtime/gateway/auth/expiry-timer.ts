import type { Clock } from '../../base/clock.ts';

/** Node's timers are limited to 24 days. */
const sleepMsMax = 86_400_000;

/** Calls `over` once the wall clock reaches `untilMs`, unless it is disposed first. */
export function openExpiryTimer(
  untilMs: number,
  { clock, over }: { clock: Clock; over: () => void },
): Disposable {
  const stop = new AbortController();
  const { signal } = stop;
  const wait = async () => {
    for (let leftMs = untilMs - clock.now(); leftMs > 0; leftMs = untilMs - clock.now()) {
      await clock.sleep(Math.min(leftMs, sleepMsMax), { signal });
    }
    over();
  };
  wait().catch((reason: unknown) => {
    if (!signal.aborted) throw reason;
  });
  return { [Symbol.dispose]: () => stop.abort() };
}
