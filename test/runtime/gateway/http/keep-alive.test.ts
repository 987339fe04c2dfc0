import { expect, test } from 'vitest';
import type { Clock } from '../../../../runtime/base/clock.ts';
import { keepAlive } from '../../../../runtime/gateway/http/frame-stream.ts';
import { keepAliveMs } from '../../../../runtime/gateway/http/limits.ts';

/** A clock whose sleeps end when the test says so. */
class StepClock implements Clock {
  readonly slept: number[] = [];
  #end: () => void = () => undefined;

  now = () => 0;
  monotonic = () => 0;

  sleep(ms: number, { signal }: { signal: AbortSignal }): Promise<void> {
    this.slept.push(ms);
    return new Promise((resolve, reject) => {
      this.#end = resolve;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Ends the sleep, and lets what waited for it go on. */
  async step(): Promise<void> {
    this.#end();
    await new Promise(setImmediate);
  }
}

test('a client that does not read has at most one comment waiting', async () => {
  const clock = new StepClock();
  const stop = new AbortController();
  let comments = 0;
  let read: () => void = () => undefined;
  const say = () => {
    comments += 1;
    return new Promise<void>((resolve) => {
      read = resolve;
    });
  };
  const keeping = keepAlive(say, { clock, signal: stop.signal });
  for (let n = 0; n < 5; n += 1) await clock.step();
  expect({ comments, slept: clock.slept }).toEqual({ comments: 1, slept: [keepAliveMs] });
  read();
  await clock.step();
  await clock.step();
  expect(comments).toBe(2);
  stop.abort();
  await keeping;
});
