import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import { isAborted, untilAborted, Work } from '../../base/signal.ts';
import { claimRetryMs } from '../limits.ts';

/** How long a claim holds, how often it is renewed, and how much of it must be left for work to go on. */
export type ClaimTimes = {
  readonly ttlMs: number;
  readonly renewMs: number;
  readonly marginMs: number;
};

type ClaimOptions = {
  readonly times: ClaimTimes;
  /** Monotonic time before the claim was requested. */
  readonly sinceMs: number;
  /** The work ends. */
  readonly signal: AbortSignal;
  /** Until then the claim is renewed, even while stopped work has not ended yet. Absent: until the work ends. */
  readonly renewed?: AbortSignal;
  /** False: somebody else has it. */
  readonly renew: (options: { signal: AbortSignal }) => Promise<boolean>;
};

/**
 * Keeps a claim of limited time until disposed, and stops the work that stands on it before it may be over.
 *
 * 1. `signal` fires at `until - margin` at the latest, whatever the store does: also when it never answers.
 * 2. A renewal that hangs is given up at its own deadline and tried again.
 */
export class HeldClaim implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #options: ClaimOptions;
  readonly #work: Work;
  readonly #lost: Work;
  readonly #keeping: Work;
  readonly #ending: Promise<unknown>;
  #untilMs: number;
  #isLost = false;

  constructor(clock: Clock, holding: ClaimOptions) {
    const { signal, sinceMs, times } = holding;
    this.#clock = clock;
    this.#options = holding;
    this.#untilMs = sinceMs + times.ttlMs;
    this.#work = new Work(signal);
    this.#keeping = new Work(holding.renewed ?? this.#work.signal);
    this.#lost = new Work(this.#keeping.signal);
    this.#ending = Promise.all([this.#watch(), this.#renewRegularly()]);
  }

  /** Of the work: also fires when the claim is lost. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Nobody else can have it at this moment. */
  get isSure(): boolean {
    return !this.#isLost && this.#leftMs > 0;
  }

  /** Fires when the claim is lost, or nobody renews it any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Somebody knows that it is over, before the store was asked. */
  lose(): void {
    this.#isLost = true;
    this.#work.stop('lease_lost');
    this.#lost.stop('lease_lost');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#keeping.stop('shutdown');
    await this.#ending;
    this.#lost[Symbol.dispose]();
    this.#keeping[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  get #leftMs(): number {
    return this.#untilMs - this.#options.times.marginMs - this.#clock.monotonic();
  }

  /** Depends on nothing but the clock. */
  async #watch(): Promise<void> {
    const { signal } = this.#lost;
    try {
      while (this.isSure) await this.#clock.sleep(this.#leftMs, { signal });
      this.lose();
    } catch (error) {
      if (!isAborted(signal)) throw error;
    }
  }

  async #renewRegularly(): Promise<void> {
    const { signal } = this.#lost;
    let waitMs = this.#options.times.renewMs;
    while (!isAborted(signal)) {
      try {
        await this.#clock.sleep(waitMs, { signal });
        await this.#renew(signal);
        waitMs = this.#options.times.renewMs;
      } catch (error) {
        if (isAborted(signal)) return;
        // A store that is away for a moment is survived as long as the claim surely holds.
        if (!isFault(error) || error.kind !== 'transient') this.lose();
        waitMs = claimRetryMs;
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const sinceMs = this.#clock.monotonic();
    using limited = new Work(signal);
    void this.#timeOut(limited);
    try {
      if (await untilAborted(this.#options.renew({ signal: limited.signal }), limited.signal)) {
        this.#untilMs = Math.max(this.#untilMs, sinceMs + this.#options.times.ttlMs);
      } else this.lose();
    } catch (error) {
      signal.throwIfAborted();
      if (!isAborted(limited.signal)) throw error;
    } finally {
      limited.stop('shutdown');
    }
  }

  async #timeOut(limited: Work): Promise<void> {
    const { signal } = limited;
    try {
      await this.#clock.sleep(this.#options.times.renewMs, { signal });
      limited.stop('deadline');
    } catch (error) {
      if (!isAborted(signal)) throw error;
    }
  }
}
