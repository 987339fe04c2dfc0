import { addAbortListener } from 'node:events';
import { Refusal } from '../../../base/refusal.ts';

/** Lets so many through at a time; the others wait in order, and nobody waits beyond the limit. */
export class ConcurrencyLimit {
  readonly #room: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ room, waitingMax }: { readonly room: number; readonly waitingMax: number }) {
    this.#room = room;
    this.#waitingMax = waitingMax;
  }

  get isEmpty(): boolean {
    return this.#running === 0;
  }

  /** Dispose what it resolves to when you leave. Refusal `busy`; the signal's reason once aborted. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#running < this.#room) this.#running += 1;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Let in or sent away, never both: a place that was given is not lost to an abort. */
  async #wait(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= this.#waitingMax) {
      throw new Refusal('busy', `${this.#waitingMax} calls wait already.`, { retryable: true });
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        tie[Symbol.dispose]();
        resolve();
      };
      const tie = addAbortListener(signal, () => {
        this.#waiting.delete(enter);
        reject(signal.reason);
      });
      this.#waiting.add(enter);
    });
  }

  /** Whoever waits takes the place of who leaves. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
