import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Seq } from '../../timeline/ids.ts';
import type { Lease, TimelineStore } from '../../timeline/ports/store.ts';
import { leaseMarginMs, leaseRenewMs } from '../limits.ts';
import { ClaimKeeper } from './claim-keeper.ts';

type RenewedSeqs = { readonly head: Seq; readonly steer: Seq };

/**
 * Renews a lease until disposed, and knows by monotonic time how long it surely holds. A pause longer than the lease
 * (a frozen process) is detected before the next effect, not after it.
 */
export class LeaseKeeper implements AsyncDisposable {
  readonly lease: Lease;
  readonly #claim: ClaimKeeper;
  #onRenewed: (seqs: RenewedSeqs) => void = () => undefined;

  constructor(
    { store, clock }: { store: TimelineStore; clock: Clock },
    { lease, since, signal }: { lease: Lease; since: number; signal: AbortSignal },
  ) {
    const { row, fence, ttlMs } = lease;
    this.lease = lease;
    this.#claim = new ClaimKeeper(clock, {
      times: { ttlMs, renewMs: leaseRenewMs, marginMs: leaseMarginMs },
      sinceMs: since,
      signal,
      renew: async (options) => {
        const renewed = await store.renew(row.key, { fence, ttlMs, ...options });
        if (renewed) this.#onRenewed(renewed);
        return renewed !== undefined;
      },
    });
  }

  get signal(): AbortSignal {
    return this.#claim.signal;
  }

  /** Called with what the store reports at every renewal. */
  onRenewed(listener: (seqs: RenewedSeqs) => void): void {
    this.#onRenewed = listener;
  }

  /** Marks the lease as lost without asking the store. */
  lose(): void {
    this.#claim.lose();
  }

  assertAlive(): void {
    this.signal.throwIfAborted();
    if (this.#claim.isSure) return;
    this.lose();
    throw new Fault('LEASE_LOST', { conversation: this.lease.row.key });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#claim[Symbol.asyncDispose]();
  }
}
