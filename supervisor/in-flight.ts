import { callsInFlightMax, heldBytesMax } from './protocol/limits.ts';

/** The calls of one program that are being performed, or whose results it has not taken, and the memory they take. */
export class CallsInFlight {
  readonly #calls = new Set<Promise<void>>();
  /** Of results that wait to be taken. */
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

  /** Undefined: there is room for one more. */
  room(): Promise<void> | undefined {
    return this.#isFull() ? this.#roomAgain() : undefined;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#calls);
  }

  /** For the one who reads. Not a race of all calls: each race leaves something behind in those that go on. */
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
