import type { Json } from '../../base/json.ts';
import { isLossless } from '../../base/lossless-number.ts';
import { JsonReader } from './json-reader.ts';
import type { JsonSink } from './json-sink.ts';

/** A number that would change when it is parsed: names and indexes from the outside in, and the number as written. */
export type LostNumber = { readonly path: readonly (string | number)[]; readonly text: string };

type ReadJson = {
  readonly reader: JsonReader;
  /** Undefined before its first bracket closes. */
  readonly value: Json | undefined;
  /** The first number that would change. */
  readonly lost: LostNumber | undefined;
};

/** The JSON value in a text, and the reader with its findings. */
export function readJsonValue(text: string): ReadJson {
  const sink = new ValueSink();
  const reader = new JsonReader(sink);
  reader.push(text);
  reader.settle();
  const value = reader.lacksOnlyBrackets ? sink.closeAll() : sink.value;
  return { reader, value, lost: sink.lost };
}

type Open = { readonly kind: 'object' | 'array'; key: string; readonly entries: [string, Json][] };

class ValueSink implements JsonSink {
  value: Json | undefined;
  lost: LostNumber | undefined;
  #open: Open[] = [];
  #text = '';

  closeAll(): Json | undefined {
    while (this.#open.length > 0) this.ended();
    return this.value;
  }

  restarted(): void {
    this.#open = [];
    this.lost = undefined;
  }

  opened(kind: 'object' | 'array'): void {
    this.#open.push({ kind, key: '', entries: [] });
  }

  ended(): void {
    const done = this.#open.pop();
    if (done === undefined) return;
    const { kind, entries } = done;
    // Unlike assignment, this creates an own property for every name, even `__proto__`.
    this.#put(kind === 'object' ? Object.fromEntries(entries) : entries.map(([, value]) => value));
  }

  key(name: string): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.key = name;
  }

  stringOpened(): void {
    this.#text = '';
  }

  chars(text: string): void {
    this.#text += text;
  }

  stringEnded(): void {
    this.#put(this.#text);
  }

  scalar(text: string): void {
    if (/\d/.test(text) && !isLossless(text)) this.lost ??= { path: this.#path(), text };
    this.#put(text === 'null' ? null : /^[tf]/.test(text) ? text === 'true' : Number(text));
  }

  #path(): LostNumber['path'] {
    return this.#open.map(({ kind, key, entries }) => (kind === 'object' ? key : entries.length));
  }

  #put(value: Json): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.value = value;
    else open.entries.push([open.key, value]);
  }
}
