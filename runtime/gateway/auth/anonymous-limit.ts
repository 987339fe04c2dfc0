import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import { RateLimit } from '../input/rate-limit.ts';

/** Whoever comes without saying who they are, to public operations and to the page: so many an hour of one address. */
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

  /** Refusals `unauthenticated`: none are let in; `busy`. */
  admit(context: Context): void {
    if (this.#isClosed)
      throw new Refusal('unauthenticated', 'authentication required: send a bearer token');
    this.#rate.consume(addressOf(context));
  }
}

export function addressOf(context: Context): string {
  return getConnInfo(context).remote.address ?? '';
}
