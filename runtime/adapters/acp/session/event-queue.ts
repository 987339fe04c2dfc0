import { Fault } from '../../../base/fault.ts';
import type { ExternalEvent } from '../../../engine/ports/external-agent.ts';
import { waitingEventsMax } from './limits.ts';

/** Events of a program, in order, on their way to the log. */
export class EventQueue {
  readonly #waiting: ExternalEvent[] = [];
  #error: Error | undefined;
  #wake: () => void = () => undefined;

  push(event: ExternalEvent): void {
    if (this.#waiting.length >= waitingEventsMax)
      this.fail(new Fault('AGENT_LIMIT', { because: 'it sends faster than the log can take' }));
    else this.#waiting.push(event);
    this.#wake();
  }

  fail(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }

  /** Yields up to `ended`; throws what the queue failed with, after the events before it. */
  async *events(): AsyncGenerator<ExternalEvent> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event) {
        yield event;
        if (event.kind === 'ended') return;
        continue;
      }
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
