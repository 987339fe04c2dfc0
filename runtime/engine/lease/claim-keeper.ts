import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import { isAborted, untilAborted, Work } from '../../base/signal.ts';
import { claimRetryMs } from '../limits.ts';

/** How long a claim lasts, how often it is renewed, and how much of it must be left for work to go on. */
type ClaimTimes = {
  readonly ttlMs: number;
  readonly renewMs: number;
  readonly marginMs: number;
};

type ClaimOptions = {
  readonly times: ClaimTimes;
  /** Monotonic time before the claim was requested. */
  readonly sinceMs: number;
  /** Aborts when the work ends. */
  readonly signal: AbortSignal;
  /**
   * Until this aborts, the claim is renewed, even while stopped work has not ended yet. Absent: until the work ends.
   */
  readonly renewed?: AbortSignal;
  /** False: another owner has the claim. */
  readonly renew: (options: { signal: AbortSignal }) => Promise<boolean>;
};

/**
 * Renews a claim of limited time until disposed, and stops the work that depends on it before the claim may expire.
 *
 * 1. `signal` aborts at `until - margin` at the latest, even if the store never answers.
 * 2. A renewal that hangs is cancelled at its own deadline and retried.
 */
export class ClaimKeeper implements AsyncDisposable {
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

  /** Signal for the work; also aborts when the claim is lost. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** No one else can have the claim at this moment. */
  get isSure(): boolean {
    return !this.#isLost && this.#leftMs > 0;
  }

  /** Aborts when the claim is lost or is no longer renewed. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Marks the claim as lost without asking the store. */
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

  /** Depends on the clock alone. */
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
        // A store outage is tolerated as long as the claim surely holds.
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
      await untilAborted(this.#ask(limited.signal, sinceMs), limited.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isAborted(limited.signal)) throw error;
    } finally {
      limited.stop('shutdown');
    }
  }

  /** An answer counts even if it is late: a busy process sees its deadline before the answer that has arrived. */
  async #ask(signal: AbortSignal, sinceMs: number): Promise<void> {
    const isRenewed = await this.#options.renew({ signal });
    if (isAborted(this.#keeping.signal)) return;
    if (isRenewed) this.#untilMs = Math.max(this.#untilMs, sinceMs + this.#options.times.ttlMs);
    else this.lose();
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
