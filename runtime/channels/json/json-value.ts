import { isJsonObject, type Json } from '../../base/json.ts';
import { isLossless } from '../../base/lossless-number.ts';
import { JsonReader } from './json-reader.ts';
import type { JsonSink } from './json-sink.ts';

/** A number that would change when it is parsed: names and indexes from the outside in, and the number as written. */
export type LostNumber = { readonly path: readonly (string | number)[]; readonly text: string };

export type ReadJson = {
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
  return toReadJson(reader, sink);
}

/** What a reader has read into its sink. Nothing follows; may be called again. */
export function toReadJson(reader: JsonReader, sink: ValueSink): ReadJson {
  reader.settle();
  const value = reader.lacksOnlyBrackets ? sink.closeAll() : sink.value;
  return { reader, value, lost: sink.lost };
}

type Open = { readonly kind: 'object' | 'array'; key: string; readonly entries: [string, Json][] };

export class ValueSink implements JsonSink {
  value: Json | undefined;
  lost: LostNumber | undefined;
  #open: Open[] = [];
  #text = '';
  #isString = false;

  /** The readable part of a string of the outermost object, complete or not. */
  textOf(field: string): string {
    const [outermost] = this.#open;
    if (outermost === undefined) return textIn(this.value, field);
    const isBeingRead = this.#isString && this.#open.length === 1 && outermost.key === field;
    if (isBeingRead) return this.#text;
    const value = outermost.entries.find(([key]) => key === field)?.[1];
    return typeof value === 'string' ? value : '';
  }

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
    this.#isString = true;
  }

  chars(text: string): void {
    this.#text += text;
  }

  stringEnded(): void {
    this.#isString = false;
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

function textIn(value: Json | undefined, field: string): string {
  const text = isJsonObject(value) ? value[field] : undefined;
  return typeof text === 'string' ? text : '';
}
