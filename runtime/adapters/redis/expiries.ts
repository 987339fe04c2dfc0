import type { ConversationKey } from '../../timeline/ids.ts';
import { expiriesMax, expiryRenewMs } from './limits.ts';

/** When the expiry of each conversation's buffer was last set, so that it is not set with every batch. */
export class Expiries {
  readonly #setMs = new Map<ConversationKey, number>();

  /** Whether it must be set again; counts as set from then on. */
  isDue(key: ConversationKey): boolean {
    const nowMs = performance.now();
    const setMs = this.#setMs.get(key);
    if (setMs !== undefined && nowMs - setMs < expiryRenewMs) return false;
    this.#setMs.delete(key);
    this.#setMs.set(key, nowMs);
    const [oldest] = this.#setMs.keys();
    if (this.#setMs.size > expiriesMax && oldest !== undefined) this.#setMs.delete(oldest);
    return true;
  }

  /** The buffer may be gone: Redis has failed, or it was removed. */
  forget(key?: ConversationKey): void {
    if (key === undefined) this.#setMs.clear();
    else this.#setMs.delete(key);
  }
}
