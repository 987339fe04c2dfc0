import type { Clock } from '../base/clock.ts';
import { Fault, isFault } from '../base/fault.ts';
import { isAborted, Work } from '../base/signal.ts';
import type { Lease, TimelineStore } from '../timeline/store.ts';
import { leaseMarginMs, leaseRenewMs } from './limits.ts';

/**
 * Keeps a lease alive until disposed, and knows by monotonic time until when it surely holds.
 * A pause longer than the lease (a frozen process) is noticed before the next effect, not after.
 */
export class HeldLease implements AsyncDisposable {
  readonly lease: Lease;
  readonly #clock: Clock;
  readonly #store: TimelineStore;
  readonly #work: Work;
  readonly #heartbeat: Work;
  readonly #beating: Promise<void>;
  #until: number;
  #onSteer: (seq: number) => void = () => undefined;

  constructor(
    { store, clock }: { store: TimelineStore; clock: Clock },
    { lease, since, signal }: { lease: Lease; since: number; signal: AbortSignal },
  ) {
    this.lease = lease;
    this.#clock = clock;
    this.#store = store;
    this.#until = since + lease.ttlMs;
    this.#work = new Work(signal);
    this.#heartbeat = new Work(this.#work.signal);
    this.#beating = this.#beat();
  }

  get signal(): AbortSignal {
    return this.#work.signal;
  }

  onSteer(listener: (seq: number) => void): void {
    this.#onSteer = listener;
  }

  /** Somebody knows that it is over, before the store was asked. */
  lose(): void {
    this.#work.stop('lease_lost');
  }

  assertAlive(): void {
    this.signal.throwIfAborted();
    if (this.#clock.monotonic() < this.#until - leaseMarginMs) return;
    this.lose();
    throw new Fault('LEASE_LOST', { conversation: this.lease.row.key });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#heartbeat.stop('shutdown');
    await this.#beating;
    this.#heartbeat[Symbol.dispose]();
    this.#work[Symbol.dispose]();
  }

  async #beat(): Promise<void> {
    const { signal } = this.#heartbeat;
    while (!signal.aborted) {
      try {
        await this.#clock.sleep(leaseRenewMs, { signal });
        await this.#renew(signal);
      } catch (error) {
        if (isAborted(signal)) return;
        // A store that is away for a moment is survived as long as the lease surely holds.
        if (isFault(error) && error.kind === 'transient' && this.#clock.monotonic() < this.#until)
          continue;
        this.#work.stop('lease_lost');
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { row, fence, ttlMs } = this.lease;
    const since = this.#clock.monotonic();
    const renewed = await this.#store.renew(row.key, { fence, ttlMs, signal });
    if (!renewed) {
      this.#work.stop('lease_lost');
      return;
    }
    this.#until = since + ttlMs;
    this.#onSteer(renewed.steer);
  }
}
