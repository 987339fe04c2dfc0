import type { Clock } from '../../base/clock.ts';
import { isAborted, Work } from '../../base/signal.ts';

type LoopOptions = {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Does the pending work; returns the milliseconds until there may be more. */
  step(signal: AbortSignal): Promise<number>;
  /** Handles a failed step after `failures` others in a row; returns the milliseconds until the retry. */
  onFailure(error: unknown, failures: number): number;
};

/** Work that no turn waits for: repeats its step, whatever error a step ends with, until it is closed. */
export class BackgroundLoop implements AsyncDisposable {
  readonly #parts: LoopOptions;
  readonly #work: Work;
  readonly #running: Promise<void>;

  constructor(parts: LoopOptions) {
    this.#parts = parts;
    this.#work = new Work(parts.signal);
    this.#running = this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#work.stop('shutdown');
    await this.#running;
    this.#work[Symbol.dispose]();
  }

  async #run(): Promise<void> {
    const { signal } = this.#work;
    let failures = 0;
    while (!isAborted(signal)) {
      let waitMs: number;
      try {
        waitMs = await this.#parts.step(signal);
        failures = 0;
      } catch (error) {
        if (isAborted(signal)) return;
        waitMs = this.#parts.onFailure(error, failures);
        failures += 1;
      }
      await this.#pause(waitMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#work;
    try {
      if (ms > 0) await this.#parts.clock.sleep(ms, { signal });
    } catch (error) {
      if (!isAborted(signal)) throw error;
    }
  }
}
