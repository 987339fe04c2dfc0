import { gatherMs } from './execution-limits.ts';

/**
 * Events on their way to one reader. Unbounded by itself: what is pushed here is
 * bounded where it is made (kept output, calls per execution).
 */
export class EventQueue<T> {
  readonly #events: T[] = [];
  #wake: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  push(event: T): void {
    this.#events.push(event);
    this.#wake();
  }

  /** Of many that come one after the other, for a reader who is in no hurry: waking him for each costs more than they do. */
  pushBatched(event: T): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#wake(), gatherMs);
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#events.splice(0);
  }
}
