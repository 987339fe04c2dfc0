import type { ChatEvent, Delta } from '../api/types.ts';
import { toFinished, toReset, toRest } from './to-event.ts';

/**
 * Turns events into deltas. If a finished text contains more than the deltas so far, the rest becomes a delta, so that
 * concatenated deltas always give the whole text.
 */
export class DeltaStreams {
  /** The last delta of each stream, with all its text so far. */
  readonly #last = new Map<string, Delta>();

  next(event: ChatEvent): Delta | undefined {
    if (event.type === 'chat.delta') return this.#keep(event.delta);
    const reset = toReset(event);
    if (reset !== undefined) this.#last.delete(reset);
    const finished = toFinished(event);
    if (!finished) return undefined;
    const rest = toRest(finished, this.#last.get(finished.stream));
    this.#last.delete(finished.stream);
    return rest;
  }

  #keep(delta: Delta): Delta {
    const before = this.#last.get(delta.stream)?.text ?? '';
    this.#last.set(delta.stream, { ...delta, text: before.slice(0, delta.offset) + delta.text });
    return delta;
  }
}
