import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { RateLimit } from '../input/rate-limit.ts';

/** The rate limit of unauthenticated requests, to public operations and to the page: a number per hour and address. */
export class AnonymousLimit {
  readonly #rate: RateLimit;
  readonly #isClosed: boolean;

  constructor(clock: Clock, perHour: number | undefined) {
    this.#isClosed = perHour === 0;
    this.#rate = new RateLimit(
      clock,
      this.#isClosed ? {} : { perHour },
      'requests without a token',
    );
  }

  /** Refusal `unauthenticated` if no such request is allowed, `busy` if there were too many. */
  admit(context: Context): void {
    if (this.#isClosed)
      throw new Refusal('unauthenticated', 'authentication required: send a bearer token');
    this.#rate.consume(addressOf(context));
  }
}

export function addressOf(context: Context): string {
  return getConnInfo(context).remote.address ?? '';
}
