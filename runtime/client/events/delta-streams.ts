import type { ChatEvent, Delta } from '../api/types.ts';
import { toFinished, toReset, toRest } from './to-event.ts';

/**
 * Deltas of some events as they come; where a finished text brings what no delta brought, a delta is made of it, so
 * that whoever concatenates has the whole text whether or not they were there from the start.
 */
export class DeltaStreams {
  /** By stream: the last delta, with all the text so far. */
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
