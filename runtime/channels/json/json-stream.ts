import { JsonReader } from './json-reader.ts';
import type { JsonSink } from './json-sink.ts';

/**
 * `text`: the next decoded part of the string at `field`. `end`: that string is complete. `value`: a number, `true`,
 * `false` or `null`, as written. Objects and arrays appear only in the names of fields.
 */
export type FieldEvent = {
  /** The path of the field: names and indexes with dots between them. */
  readonly field: string;
  readonly kind: 'text' | 'end' | 'value';
  readonly text: string;
};

interface FieldStream {
  push(text: string): readonly FieldEvent[];
  /** Reads one UTF-16 unit, or the next plain characters of a string up to `to`; returns the index after them. */
  take(
    text: string,
    from: number,
    to: number,
  ): { readonly next: number; readonly news: readonly FieldEvent[] };
  /** `broken`: the text is not valid JSON; no more events follow. The events so far are the beginning of the value. */
  readonly outcome: 'none' | 'open' | 'done' | 'broken';
  /** The text is not valid JSON, whatever follows. */
  readonly isBroken: boolean;
}

/** Streams the fields of one JSON value while it is written. Accepts exactly the same text as `parseDecision`. */
export function createFieldStream(): FieldStream {
  const sink = new FieldSink();
  const reader = new JsonReader(sink);
  return {
    push(text) {
      reader.push(text);
      return sink.take();
    },
    take(text, from, to) {
      return { next: reader.take(text, from, to), news: sink.take() };
    },
    get outcome() {
      return reader.outcome;
    },
    get isBroken() {
      return reader.isBroken;
    },
  };
}

const nothing: readonly FieldEvent[] = [];

export class FieldSink implements JsonSink {
  #events: FieldEvent[] = [];
  /** One entry per open container: the current key, or the current index, -1 before the first. */
  #at: (string | number)[] = [];
  /** The string that is being read. */
  #field = '';
  #text = '';

  take(): readonly FieldEvent[] {
    this.#flush();
    const events = this.#events;
    if (events.length === 0) return nothing;
    this.#events = [];
    return events;
  }

  restarted(): void {
    this.#at = [];
  }

  opened(kind: 'object' | 'array'): void {
    this.#count();
    this.#at.push(kind === 'object' ? '' : -1);
  }

  ended(): void {
    this.#at.pop();
  }

  key(name: string): void {
    this.#at[this.#at.length - 1] = name;
  }

  stringOpened(): void {
    this.#count();
    this.#field = this.#at.join('.');
  }

  chars(text: string): void {
    this.#text += text;
  }

  stringEnded(): void {
    this.#flush();
    this.#events.push({ field: this.#field, kind: 'end', text: '' });
  }

  scalar(text: string): void {
    this.#count();
    this.#events.push({ field: this.#at.join('.'), kind: 'value', text });
  }

  /** A value begins. In an array, this is the next index. */
  #count(): void {
    const at = this.#at.at(-1);
    if (typeof at === 'number') this.#at[this.#at.length - 1] = at + 1;
  }

  #flush(): void {
    if (this.#text !== '')
      this.#events.push({ field: this.#field, kind: 'text', text: this.#text });
    this.#text = '';
  }
}
