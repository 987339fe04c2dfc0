import type { CitationReplacer } from '../../channels/citations/citations.ts';
import { type StreamName, type TurnId, toStreamName } from '../../timeline/ids.ts';
import type { Publisher, StreamHeader } from './publisher.ts';

export type RoundPlace = { readonly turn: TurnId; readonly round: number };

type StreamParts = {
  readonly publisher: Publisher;
  readonly place: RoundPlace;
  /** Where the text is shown. While undefined (not known yet, or not allowed), the text waits. */
  readonly stream: () => StreamHeader | undefined;
  readonly citations?: CitationReplacer;
  /** Called with the shown text, as the model wrote it. */
  readonly delivered?: (text: string) => void;
};

/** One stream of text to clients. It may be finished before it may be shown. */
export class LiveStream {
  readonly #parts: StreamParts;
  #waiting = '';
  #state: 'open' | 'finished' | 'ended' = 'open';
  #shown = false;
  #text = '';

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  /** Whether clients have seen any of it. */
  get shown(): boolean {
    return this.#shown;
  }

  /** The text that clients have seen. */
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

  /** Sends what may be shown by now. */
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
    // A stream that never showed anything needs no end either.
    if (text === '' && !(finished && this.#shown)) return;
    this.#shown = true;
    this.#text += text;
    publisher.delta(place, stream, { text, completed: finished });
  }
}

export function streamName(
  { turn, round }: RoundPlace,
  channel: string,
  instance: number,
): StreamName {
  return toStreamName(`${turn}.${round}.${channel}.${instance}`);
}
