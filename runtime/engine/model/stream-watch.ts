import type { Clock } from '../../base/clock.ts';
import { isAborted, Work } from '../../base/signal.ts';
import { modelSilenceMsMax } from '../limits.ts';

/** Stops one generation when its time is over, or when its model has started and then stays silent. */
export class StreamWatch implements Disposable {
  readonly #clock: Clock;
  readonly #work: Work;
  readonly #untilMs: number;
  #activeMs: number | undefined;
  #cause: 'time' | 'silence' | undefined;

  /** `leftMs`: time limit of the whole generation. */
  constructor(clock: Clock, { signal, leftMs }: { signal: AbortSignal; leftMs: number }) {
    this.#clock = clock;
    this.#work = new Work(signal);
    this.#untilMs = clock.monotonic() + leftMs;
    void this.#watch();
  }

  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** Why this watch stopped the generation. Undefined: it did not. */
  get cause(): 'time' | 'silence' | undefined {
    return this.#cause;
  }

  /** Call this when the model has sent something. */
  noteActivity(): void {
    this.#activeMs = this.#clock.monotonic();
  }

  [Symbol.dispose](): void {
    this.#work.stop('shutdown');
    this.#work[Symbol.dispose]();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#work;
    try {
      for (;;) {
        const nowMs = this.#clock.monotonic();
        const silentMs = (this.#activeMs ?? nowMs) + modelSilenceMsMax;
        if (nowMs >= this.#untilMs) return this.#stop('time');
        if (nowMs >= silentMs) return this.#stop('silence');
        await this.#clock.sleep(Math.min(this.#untilMs, silentMs) - nowMs, { signal });
      }
    } catch (error) {
      if (!isAborted(signal)) throw error;
    }
  }

  #stop(cause: 'time' | 'silence'): void {
    this.#cause = cause;
    this.#work.stop('deadline');
  }
}
