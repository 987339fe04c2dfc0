import { JsonReader } from '../json/json-reader.ts';
import type { JsonSink } from '../json/json-sink.ts';
import { type FieldEvent, FieldSink } from '../json/json-stream.ts';
import { type ReadJson, toReadJson, ValueSink } from '../json/json-value.ts';
import { type ActionIdentity, IdentityReader } from './action-identity.ts';

/**
 * Reads the text of one decision, once: live streams follow its fields while it is written, the gates its identity, and the
 * final reading takes its value. So what people see and what is carried out cannot differ.
 */
export class DecisionReader {
  readonly #fields = new FieldSink();
  readonly #value = new ValueSink();
  readonly #reader = new JsonReader(toBoth(this.#fields, this.#value));
  readonly #identity = new IdentityReader();
  #text = '';

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** Undefined: not known yet. It is known even if the rest of the text is broken. */
  get identity(): ActionIdentity | undefined {
    return this.#identity.identity;
  }

  /** The text is not valid JSON, whatever follows. */
  get isBroken(): boolean {
    return this.#reader.isBroken;
  }

  /** The readable part of a string of the outermost object. */
  textOf(field: string): string {
    return this.#value.textOf(field);
  }

  /** Reads the next part of the text: what it adds to the fields. */
  push(text: string): readonly FieldEvent[] {
    this.#text += text;
    this.#reader.push(text);
    const news = this.#fields.take();
    for (const field of news) this.#identity.take(field);
    return news;
  }

  /** The value of the whole text. No text follows. */
  read(): ReadJson {
    return toReadJson(this.#reader, this.#value);
  }
}

/** Passes everything on to both, in order. */
function toBoth(one: JsonSink, other: JsonSink): JsonSink {
  const all = (tell: (sink: JsonSink) => void) => {
    tell(one);
    tell(other);
  };
  return {
    restarted: () => all((sink) => sink.restarted()),
    opened: (kind) => all((sink) => sink.opened(kind)),
    ended: () => all((sink) => sink.ended()),
    key: (name) => all((sink) => sink.key(name)),
    stringOpened: () => all((sink) => sink.stringOpened()),
    chars: (text) => all((sink) => sink.chars(text)),
    stringEnded: () => all((sink) => sink.stringEnded()),
    scalar: (text) => all((sink) => sink.scalar(text)),
  };
}
