import { JsonReader, type JsonSink } from './json-reader.ts';

type JsonPath = readonly (string | number)[];

/**
 * `text`: more of the string at `path`, decoded. `end`: that string is whole. `value`: a number, `true`, `false`
 * or `null`, as written. Objects and arrays show in the paths only.
 */
export type FieldEvent = {
  readonly path: JsonPath;
  readonly kind: 'text' | 'end' | 'value';
  readonly text: string;
};

interface FieldStream {
  push(text: string): FieldEvent[];
  /** `broken`: this is no JSON; nothing more will come. What came is a beginning of what was meant. */
  readonly outcome: 'none' | 'open' | 'done' | 'broken';
  /** Whatever comes, this is no JSON any more. */
  readonly isBroken: boolean;
}

/** The fields of one JSON value while it is written. Reads exactly what `parseDecision` reads. */
export function createFieldStream(): FieldStream {
  const sink = new FieldSink();
  const reader = new JsonReader(sink);
  return {
    push(text) {
      reader.push(text);
      return sink.take();
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
  /** One entry per open container: the present key, or the present index, -1 before the first. */
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

  char(text: string): void {
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

  /** A value begins: in an array, the next one. */
  #count(): void {
    const at = this.#at.at(-1);
    if (typeof at === 'number') this.#at[this.#at.length - 1] = at + 1;
  }

  #flush(): void {
    if (this.#text !== '') this.#events.push({ path: this.#path, kind: 'text', text: this.#text });
    this.#text = '';
  }
}
