/** Receives what a JsonReader reads, in order. */
export interface JsonSink {
  /** The text so far was prose with a bracket in it; discard it, the value starts again. */
  restarted(): void;
  opened(kind: 'object' | 'array'): void;
  ended(): void;
  key(name: string): void;
  stringOpened(): void;
  /** Decoded characters; surrogate pairs stay together. */
  chars(text: string): void;
  stringEnded(): void;
  /** A well-formed number, `true`, `false` or `null`, as written. */
  scalar(text: string): void;
}
