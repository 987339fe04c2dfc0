import type { Clock } from '../../base/clock.ts';
import { isFault } from '../../base/fault.ts';
import { isAborted, Work } from '../../base/signal.ts';
import { jobLeaseMarginMs, jobLeaseTtlMs, jobRenewMs } from '../limits.ts';
import type { Claim, JobStore } from '../ports/jobs.ts';

type Parts = { readonly store: JobStore; readonly clock: Clock };
type Holding = {
  readonly claim: Claim;
  /** Monotonic time before it was asked for. */
  readonly sinceMs: number;
  /** The run is to end. */
  readonly signal: AbortSignal;
  /** Nobody waits for the run any more. */
  readonly left: AbortSignal;
};

/** Keeps a job ours while one of its errands is performed, also while a run that was stopped does not end. */
export class HeldJob implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #claim: Claim;
  readonly #work: Work;
  readonly #heartbeat: Work;
  readonly #beating: Promise<void>;
  #untilMs: number;
  #isLost = false;

  constructor(parts: Parts, { claim, sinceMs, signal, left }: Holding) {
    this.#parts = parts;
    this.#claim = claim;
    this.#untilMs = sinceMs + jobLeaseTtlMs;
    this.#work = new Work(signal);
    this.#heartbeat = new Work(left);
    this.#beating = this.#beat();
  }

  /** Fires when the job is not ours any more, too. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#heartbeat.stop('shutdown');
    await this.#beating;
    this.#heartbeat[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  async #beat(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#heartbeat;
    while (!signal.aborted && !this.#isLost) {
      try {
        await clock.sleep(jobRenewMs, { signal });
        await this.#renew();
      } catch (error) {
        if (isAborted(signal)) return;
        const isMoment = isFault(error) && error.kind === 'transient';
        if (!isMoment || clock.monotonic() >= this.#untilMs - jobLeaseMarginMs) this.#lose();
      }
    }
  }

  async #renew(): Promise<void> {
    const { store, clock } = this.#parts;
    const sinceMs = clock.monotonic();
    // After a pause longer than the lease somebody else may be at it already.
    const isLate = sinceMs >= this.#untilMs;
    if (!isLate && (await store.renew(this.#claim, { ttlMs: jobLeaseTtlMs })))
      this.#untilMs = sinceMs + jobLeaseTtlMs;
    else this.#lose();
  }

  #lose(): void {
    this.#isLost = true;
    this.#work.stop('lease_lost');
  }
}
