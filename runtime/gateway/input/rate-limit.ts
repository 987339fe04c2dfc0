import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { ratedUsersMax } from './limits.ts';

/** The number allowed in a period; 0: none at all. */
export type Allowance = {
  readonly perMinute?: number | undefined;
  readonly perHour?: number | undefined;
};

type Span = { readonly most: number; readonly ms: number; readonly name: string };
/** The tokens left for each period. */
type Bucket = { readonly tokens: readonly number[]; readonly atMs: number };

/** A token bucket per key: a number of requests per minute and per hour, in bursts up to that number. */
export class RateLimit {
  readonly #clock: Clock;
  readonly #spans: readonly Span[];
  readonly #what: string;
  readonly #buckets = new Map<string, Bucket>();

  /** `what` is the plural noun of the limited thing, for the error text. */
  constructor(clock: Clock, { perMinute, perHour }: Allowance, what = 'messages') {
    this.#clock = clock;
    this.#spans = [...spanOf('minute', perMinute, 60_000), ...spanOf('hour', perHour, 3_600_000)];
    this.#what = what;
  }

  /** Refusal `busy`, retryable once the next token is available. A refused request consumes nothing. */
  consume(key: string): void {
    const nowMs = this.#clock.monotonic();
    const last = this.#buckets.get(key);
    const tokens = this.#spans.map(({ most, ms }, at) => {
      const left = last?.tokens[at] ?? most;
      return Math.min(most, left + ((nowMs - (last?.atMs ?? nowMs)) * most) / ms);
    });
    const isDrawn = tokens.every((left) => left >= 1);
    this.#keep(key, { tokens: isDrawn ? tokens.map((left) => left - 1) : tokens, atMs: nowMs });
    if (!isDrawn) throw this.#refusal(tokens);
  }

  /** Re-inserted last, so that the first keys of the map are the longest idle. */
  #keep(key: string, bucket: Bucket): void {
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    for (const idle of this.#buckets.keys()) {
      if (this.#buckets.size <= ratedUsersMax) break;
      this.#buckets.delete(idle);
    }
  }

  /** Reports the period that takes longest to allow another request. */
  #refusal(tokens: readonly number[]): Refusal {
    const waits = this.#spans.map((span, at) => ({
      span,
      waitMs: Math.ceil((Math.max(0, 1 - (tokens[at] ?? 0)) * span.ms) / span.most),
    }));
    const [longest] = waits.toSorted((a, b) => b.waitMs - a.waitMs);
    const { most = 0, name = 'minute' } = longest?.span ?? {};
    const message = `rate limit exceeded: more than ${most} ${this.#what} ${name === 'hour' ? 'an' : 'a'} ${name}`;
    return new Refusal('busy', message, { retryable: true, retryAfterMs: longest?.waitMs ?? 0 });
  }
}

function spanOf(name: string, most: number | undefined, ms: number): readonly Span[] {
  return most === undefined ? [] : [{ most, ms, name }];
}
