import { callsInFlightMax, heldBytesMax } from '../protocol/limits.ts';

/** The calls of one program that are running or whose results it has not read, and the memory that they take. */
export class CallsInFlight {
  readonly #calls = new Set<Promise<void>>();
  /** Bytes of results that have not been read. */
  readonly #waiting: () => number;
  #heldBytes = 0;
  #ended: () => void = () => undefined;

  constructor(waiting: () => number) {
    this.#waiting = waiting;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** `call` never rejects. */
  add(call: Promise<void>, bytes: number): void {
    this.#heldBytes += bytes;
    const kept = call.then(() => {
      this.#heldBytes -= bytes;
      this.#calls.delete(kept);
      this.#ended();
    });
    this.#calls.add(kept);
  }

  /** Undefined: there is room for one more call. */
  room(): Promise<void> | undefined {
    return this.#isFull() ? this.#roomAgain() : undefined;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#calls);
  }

  /** For the frame reader. Not a race of all calls, because each race leaves reactions in the promises that are still pending. */
  async #roomAgain(): Promise<void> {
    while (this.#isFull()) {
      await new Promise<void>((resolve) => {
        this.#ended = resolve;
      });
    }
  }

  #isFull(): boolean {
    if (this.#calls.size === 0) return false;
    const heldBytes = this.#heldBytes + this.#waiting();
    return this.#calls.size >= callsInFlightMax || heldBytes >= heldBytesMax;
  }
}
