import type { Clock } from '../base/clock.ts';
import { Refusal } from '../base/refusal.ts';
import { ratedUsersMax } from './limits.ts';

type Bucket = { readonly tokens: number; readonly atMs: number };
const minuteMs = 60_000;

/** So many a minute for each key, in bursts up to that number: a bucket that fills while nobody draws. */
export class Rate {
  readonly #clock: Clock;
  readonly #perMinute: number;
  readonly #what: string;
  readonly #buckets = new Map<string, Bucket>();

  /** `what` is drawn, as people call many of it. */
  constructor(clock: Clock, perMinute: number, what = 'messages') {
    this.#clock = clock;
    this.#perMinute = perMinute;
    this.#what = what;
  }

  /** Refusal `busy`, retryable after the time one token needs to come. */
  draw(key: string): void {
    const nowMs = this.#clock.monotonic();
    const last = this.#buckets.get(key) ?? { tokens: this.#perMinute, atMs: nowMs };
    const filled = last.tokens + ((nowMs - last.atMs) * this.#perMinute) / minuteMs;
    const tokens = Math.min(this.#perMinute, filled);
    // Written last, so that the map's first keys are the longest idle.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
    for (const idle of this.#buckets.keys()) {
      if (this.#buckets.size <= ratedUsersMax) break;
      this.#buckets.delete(idle);
    }
    if (tokens >= 1) return;
    const retryAfterMs = Math.ceil(((1 - tokens) * minuteMs) / this.#perMinute);
    const message = `more than ${this.#perMinute} ${this.#what} a minute`;
    throw new Refusal('busy', message, { retryable: true, retryAfterMs });
  }
}
