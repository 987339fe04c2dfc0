import type { Json } from '../base/json.ts';
import { JsonReader, type JsonSink } from './json-reader.ts';

/** The value in a text and what the reader found out about it; `value` is undefined before its first bracket closes. */
export function readJsonValue(text: string): { reader: JsonReader; value: Json | undefined } {
  const sink = new ValueSink();
  const reader = new JsonReader(sink);
  reader.push(text);
  return { reader, value: reader.lacksOnlyBrackets ? sink.closeAll() : sink.value };
}

type Open = { readonly kind: 'object' | 'array'; key: string; readonly entries: [string, Json][] };

class ValueSink implements JsonSink {
  value: Json | undefined;
  #open: Open[] = [];
  #text = '';

  closeAll(): Json | undefined {
    while (this.#open.length > 0) this.ended();
    return this.value;
  }

  restarted(): void {
    this.#open = [];
  }

  opened(kind: 'object' | 'array'): void {
    this.#open.push({ kind, key: '', entries: [] });
  }

  ended(): void {
    const done = this.#open.pop();
    if (done === undefined) return;
    const { kind, entries } = done;
    // Unlike assignment, this makes an own property of any name, `__proto__` too.
    this.#put(kind === 'object' ? Object.fromEntries(entries) : entries.map(([, value]) => value));
  }

  key(name: string): void {
    const open = this.#open.at(-1);
    if (open !== undefined) open.key = name;
  }

  stringOpened(): void {
    this.#text = '';
  }

  char(text: string): void {
    this.#text += text;
  }

  stringEnded(): void {
    this.#put(this.#text);
  }

  scalar(text: string): void {
    this.#put(text === 'null' ? null : /^[tf]/.test(text) ? text === 'true' : Number(text));
  }

  #put(value: Json): void {
    const open = this.#open.at(-1);
    if (open === undefined) this.value = value;
    else open.entries.push([open.key, value]);
  }
}
