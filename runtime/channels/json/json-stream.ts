import { JsonReader } from './json-reader.ts';
import type { JsonSink } from './json-sink.ts';

type JsonPath = readonly (string | number)[];

/**
 * `text`: the next decoded part of the string at `path`. `end`: that string is complete. `value`: a number, `true`,
 * `false` or `null`, as written. Objects and arrays appear only in the paths.
 */
export type FieldEvent = {
  readonly path: JsonPath;
  readonly kind: 'text' | 'end' | 'value';
  readonly text: string;
};

interface FieldStream {
  push(text: string): FieldEvent[];
  /** Reads one UTF-16 unit, or the next plain characters of a string up to `to`; returns the index after them. */
  take(
    text: string,
    from: number,
    to: number,
  ): { readonly next: number; readonly news: FieldEvent[] };
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

class FieldSink implements JsonSink {
  #events: FieldEvent[] = [];
  /** One entry per open container: the current key, or the current index, -1 before the first. */
  #at: (string | number)[] = [];
  #path: JsonPath = [];
  #text = '';

  take(): FieldEvent[] {
    this.#flush();
    const events = this.#events;
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
    this.#path = [...this.#at];
  }

  chars(text: string): void {
    this.#text += text;
  }

  stringEnded(): void {
    this.#flush();
    this.#events.push({ path: this.#path, kind: 'end', text: '' });
  }

  scalar(text: string): void {
    this.#count();
    this.#events.push({ path: [...this.#at], kind: 'value', text });
  }

  /** A value begins. In an array, this is the next index. */
  #count(): void {
    const at = this.#at.at(-1);
    if (typeof at === 'number') this.#at[this.#at.length - 1] = at + 1;
  }

  #flush(): void {
    if (this.#text !== '') this.#events.push({ path: this.#path, kind: 'text', text: this.#text });
    this.#text = '';
  }
}
