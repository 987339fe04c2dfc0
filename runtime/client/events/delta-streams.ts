import type { ChatEvent, Delta } from '../api/types.ts';
import { isReplacedByBlock, toFinished, toReset, toRest } from './to-event.ts';

/** The last delta of a stream, with all its text from offset `start` on. */
type Received = { readonly last: Delta; readonly start: number };

/**
 * Turns events into deltas. If a finished text contains more than the deltas so far, the rest becomes a delta, so that
 * concatenated deltas always give the whole text. A bus may lose pieces: after a gap, a stream waits for its finished text.
 */
export class DeltaStreams {
  readonly #received = new Map<string, Received>();

  next(event: ChatEvent): Delta | undefined {
    if (event.type === 'chat.delta') return this.#add(event.delta);
    const reset = toReset(event);
    if (reset !== undefined) this.#received.delete(reset);
    const finished = toFinished(event);
    if (!finished) return undefined;
    const { last, start = 0 } = this.#received.get(finished.stream) ?? {};
    this.#received.delete(finished.stream);
    // A subscription that began within the stream, or a lost beginning: the whole text restarts it.
    return toRest(finished, last && start > 0 ? { ...last, text: '', completed: false } : last);
  }

  #add(delta: Delta): Delta | undefined {
    const { stream, offset, marker } = delta;
    const { last, start = offset } = this.#received.get(stream) ?? {};
    const known = last?.text ?? '';
    const isGap = offset > start + known.length;
    if (isGap && isReplacedByBlock(marker)) return undefined;
    const from = Math.min(start, offset);
    const text = known.slice(0, Math.max(0, offset - start)) + delta.text;
    this.#received.set(stream, { last: { ...delta, text }, start: from });
    return delta;
  }
}
