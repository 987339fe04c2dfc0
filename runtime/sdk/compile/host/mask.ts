import type { Json } from '../../../base/json.ts';
import { maskedCharsMin } from '../../contract/limits.ts';

const placeholder = '•••';

/** Removes secret values from outgoing data. It knows only the values that have been read. */
export interface Mask {
  add(value: string): void;
  text(text: string): string;
  json(value: Json): Json;
  /** For text sent in pieces: a value that spans two pieces is still masked. */
  stream(): MaskStream;
}
export interface MaskStream {
  push(text: string): string;
  end(): string;
}

export function createMask(): Mask {
  const values = new Set<string>();
  const text = (plain: string) =>
    [...values].reduce((rest, value) => rest.replaceAll(value, placeholder), plain);
  const json = (value: Json): Json => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), json(one)]));
  };
  return {
    add: (value) => {
      for (const form of formsOf(value)) values.add(form);
    },
    text,
    json: (value) => (values.size === 0 ? value : json(value)),
    stream: () => createMaskStream(text, values),
  };
}

function createMaskStream(mask: (text: string) => string, values: ReadonlySet<string>): MaskStream {
  let held = '';
  return {
    push: (text) => {
      const whole = mask(held + text);
      const keep = longestStart(whole, values);
      held = whole.slice(whole.length - keep);
      return whole.slice(0, whole.length - keep);
    },
    end: () => {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** How many characters at the end of `text` may be the start of a value. */
function longestStart(text: string, values: ReadonlySet<string>): number {
  let longest = 0;
  for (const value of values) {
    for (let size = Math.min(value.length - 1, text.length); size > longest; size -= 1) {
      if (text.endsWith(value.slice(0, size))) longest = size;
    }
  }
  return longest;
}

/** The value as plain text, inside JSON text, and inside a URL. */
function formsOf(value: string): readonly string[] {
  if (value.length < maskedCharsMin) return [];
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
}
