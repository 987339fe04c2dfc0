/**
 * Turns pushes into an async iterable for one reader. Unbounded by itself: what is pushed here is
 * bounded where it is made (kept output, calls per execution).
 */
export class EventQueue<T> {
  #events: T[] = [];
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

  async *drain(): AsyncGenerator<T> {
    for (;;) {
      const events = this.#events;
      this.#events = [];
      yield* events;
      if (this.#events.length > 0) continue;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
