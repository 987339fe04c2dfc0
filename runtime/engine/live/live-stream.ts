import type { CitationReplacer } from '../../channels/citations/citations.ts';
import type { Publisher, StreamOf } from './publisher.ts';

export type Place = { readonly turn: string; readonly round: number };

type Parts = {
  readonly publisher: Publisher;
  readonly place: Place;
  /** Where it is shown; undefined while that is not known, or not allowed: what is said waits. */
  readonly stream: () => StreamOf | undefined;
  readonly citations?: CitationReplacer;
  /** Told what was shown, as the model wrote it. */
  readonly delivered?: (text: string) => void;
};

/** One stretch of text on its way to clients. It may be over before it may be shown. */
export class Speech {
  readonly #parts: Parts;
  #waiting = '';
  #state: 'open' | 'over' | 'told' = 'open';
  #shown = false;
  #text = '';

  constructor(parts: Parts) {
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

  say(text: string): void {
    this.#waiting += text;
    this.flush();
  }

  finish(): void {
    if (this.#state === 'open') this.#state = 'over';
    this.flush();
  }

  /** Shows what may be shown by now. */
  flush(): void {
    const { publisher, place, citations, delivered } = this.#parts;
    const over = this.#state === 'over';
    if (this.#state === 'told' || (this.#waiting === '' && !over)) return;
    const stream = this.#parts.stream();
    if (!stream) return;
    const said = this.#waiting;
    this.#waiting = '';
    delivered?.(said);
    const text = citations ? citations.push(said) + (over ? citations.end() : '') : said;
    if (over) this.#state = 'told';
    // What never said anything has no end to tell either.
    if (text === '' && !(over && this.#shown)) return;
    this.#shown = true;
    this.#text += text;
    publisher.delta(place, stream, { text, completed: over });
  }
}

export function streamName({ turn, round }: Place, channel: string, instance: number): string {
  return `${turn}.${round}.${channel}.${instance}`;
}
