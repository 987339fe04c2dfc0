import type { Clock } from '../../base/clock.ts';
import { Cancelled, isAborted } from '../../base/signal.ts';
import { presenceMs } from './limits.ts';

type Changes = {
  /** The first client connected, or the first turn started. */
  arrived(): void;
  /** For `presenceMs` nobody has been there. */
  left(): void;
};

/**
 * Whether anybody uses this process: a client is connected, a turn is running, or either was the case within `presenceMs`.
 * Nobody is there at first.
 */
export class Presence implements AsyncDisposable {
  readonly #clock: Clock;
  readonly #changes: Changes;
  #present = 0;
  #isEmpty = true;
  #waiting = new AbortController();
  #emptied: Promise<void> = Promise.resolve();

  constructor(clock: Clock, changes: Changes) {
    this.#clock = clock;
    this.#changes = changes;
  }

  /** A client or a turn, until it is disposed of. */
  enter(): Disposable {
    this.#present += 1;
    this.#waiting.abort(new Cancelled('shutdown'));
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#changes.arrived();
    }
    let isHere = true;
    const leave = () => {
      if (!isHere) return;
      isHere = false;
      this.#present -= 1;
      if (this.#present === 0) this.#emptied = this.#empty();
    };
    return { [Symbol.dispose]: leave };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#present += 1;
    this.#waiting.abort(new Cancelled('shutdown'));
    await this.#emptied;
  }

  async #empty(): Promise<void> {
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    try {
      await this.#clock.sleep(presenceMs, { signal });
    } catch (error) {
      if (isAborted(signal)) return;
      throw error;
    }
    this.#isEmpty = true;
    this.#changes.left();
  }
}
