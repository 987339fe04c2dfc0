import type { ChatEvent, Delta } from '../api/types.ts';
import { toFinished, toReset, toRest } from './to-event.ts';

/**
 * Deltas of some events as they come; where a finished text brings what no delta brought, a delta is made of it, so
 * that whoever concatenates has the whole text whether or not they were there from the start.
 */
export class Streams {
  /** By stream: the last delta, with all the text so far. */
  readonly #heard = new Map<string, Delta>();

  next(event: ChatEvent): Delta | undefined {
    if (event.type === 'chat.delta') return this.#keep(event.delta);
    const reset = toReset(event);
    if (reset !== undefined) this.#heard.delete(reset);
    const finished = toFinished(event);
    if (!finished) return undefined;
    const rest = toRest(finished, this.#heard.get(finished.stream));
    this.#heard.delete(finished.stream);
    return rest;
  }

  #keep(delta: Delta): Delta {
    const before = this.#heard.get(delta.stream)?.text ?? '';
    this.#heard.set(delta.stream, { ...delta, text: before.slice(0, delta.offset) + delta.text });
    return delta;
  }
}
