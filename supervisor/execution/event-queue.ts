import { eventBatchMs } from './limits.ts';

/**
 * A queue of events for one reader. It has no limit of its own: the number of events is
 * limited where they are created (kept output, calls per execution).
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

  /** Adds an event that can wait a moment: waking the reader for each of many events costs more than the events. */
  pushBatched(event: T): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.#wake(), eventBatchMs);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Takes all events since the last call; waits for at least one. Empty: the queue is closed and all events were taken. */
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
