import type { Clock } from '../../../base/clock.ts';
import { Work } from '../../../base/signal.ts';
import type { Bus } from '../../../engine/ports/bus.ts';
import type { ConversationKey } from '../../../timeline/ids.ts';

type Next = {
  /** Changes within this time are one. */
  readonly pauseMs: number;
  readonly atMostMs: number;
  readonly signal: AbortSignal;
};

/** Tells when one of some conversations grows. */
export class Heads implements Disposable {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #following = new Map<ConversationKey, Disposable>();
  #hasChanged = false;
  #wait: Work | undefined;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  /** These, and no longer any other. */
  follow(keys: readonly ConversationKey[]): void {
    const wanted = new Set(keys);
    for (const [key, subscription] of this.#following) {
      if (wanted.has(key)) continue;
      subscription[Symbol.dispose]();
      this.#following.delete(key);
    }
    for (const key of wanted) {
      if (this.#following.has(key)) continue;
      const changed = ({ kind }: { readonly kind: string }) => kind !== 'frame' && this.change();
      this.#following.set(key, this.#bus.subscribe(key, changed));
    }
  }

  change(): void {
    this.#hasChanged = true;
    this.#wait?.stop('shutdown');
  }

  /** Resolves after a change, or after the longest time. Throws the reason of the signal. */
  async next({ pauseMs, atMostMs, signal }: Next): Promise<void> {
    await this.#clock.sleep(pauseMs, { signal });
    if (!this.#hasChanged) await this.#changeWithin(atMostMs, signal);
    this.#hasChanged = false;
  }

  async #changeWithin(ms: number, signal: AbortSignal): Promise<void> {
    using wait = new Work(signal);
    this.#wait = wait;
    try {
      await this.#clock.sleep(ms, { signal: wait.signal });
    } catch (reason) {
      signal.throwIfAborted();
      if (!wait.signal.aborted) throw reason;
    } finally {
      this.#wait = undefined;
    }
  }

  [Symbol.dispose](): void {
    this.follow([]);
  }
}
