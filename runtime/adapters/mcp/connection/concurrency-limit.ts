import { addAbortListener } from 'node:events';
import { Refusal } from '../../../base/refusal.ts';

/** Limits concurrent calls. Further calls wait in order, up to a maximum number of waiting calls. */
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

  /** Resolves to a slot; dispose it to leave. Refusal `busy`; rejects with the signal's reason once aborted. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#running < this.#room) this.#running += 1;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** Either enters or rejects, never both: an abort cannot lose a slot that was already granted. */
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

  /** The next waiting call takes over the slot. */
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
