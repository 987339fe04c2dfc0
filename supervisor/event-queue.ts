/**
 * Events on their way to one reader. Unbounded by itself: what is pushed here is
 * bounded where it is made (kept output, calls per execution).
 */
export class EventQueue<T> {
  readonly #events: T[] = [];
  #wake: () => void = () => undefined;
  #closed = false;

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** What was pushed since the last time; waits while that is nothing. Empty: closed, and all was taken. */
  async take(): Promise<readonly T[]> {
    while (this.#events.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#events.splice(0);
  }
}
