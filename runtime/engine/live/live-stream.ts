import type { CitationReplacer } from '../../channels/citations/citations.ts';
import type { Publisher, StreamHeader } from './publisher.ts';

export type RoundPlace = { readonly turn: string; readonly round: number };

type StreamParts = {
  readonly publisher: Publisher;
  readonly place: RoundPlace;
  /** Where it is shown; undefined while that is not known, or not allowed: what is said waits. */
  readonly stream: () => StreamHeader | undefined;
  readonly citations?: CitationReplacer;
  /** Told what was shown, as the model wrote it. */
  readonly delivered?: (text: string) => void;
};

/** One stretch of text on its way to clients. It may be over before it may be shown. */
export class LiveStream {
  readonly #parts: StreamParts;
  #waiting = '';
  #state: 'open' | 'finished' | 'ended' = 'open';
  #shown = false;
  #text = '';

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Whether clients have seen anything of it. */
  get shown(): boolean {
    return this.#shown;
  }

  /** What clients have seen of it. */
  get text(): string {
    return this.#text;
  }

  write(text: string): void {
    this.#waiting += text;
    this.flush();
  }

  finish(): void {
    if (this.#state === 'open') this.#state = 'finished';
    this.flush();
  }

  /** Shows what may be shown by now. */
  flush(): void {
    const { publisher, place, citations, delivered } = this.#parts;
    const finished = this.#state === 'finished';
    if (this.#state === 'ended' || (this.#waiting === '' && !finished)) return;
    const stream = this.#parts.stream();
    if (!stream) return;
    const raw = this.#waiting;
    this.#waiting = '';
    delivered?.(raw);
    const text = citations ? citations.push(raw) + (finished ? citations.end() : '') : raw;
    if (finished) this.#state = 'ended';
    // What never said anything has no end to tell either.
    if (text === '' && !(finished && this.#shown)) return;
    this.#shown = true;
    this.#text += text;
    publisher.delta(place, stream, { text, completed: finished });
  }
}

export function streamName({ turn, round }: RoundPlace, channel: string, instance: number): string {
  return `${turn}.${round}.${channel}.${instance}`;
}
