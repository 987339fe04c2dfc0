import { isAscii, isUtf8 } from 'node:buffer';
import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject } from '../../runtime/base/json.ts';
import { textCharsMin, textDepthMax, textsMax, textsSeenMax } from './limits.ts';

/** Names and positions that lead from the message to one of its texts. */
type TextPath = readonly (string | number)[];

/** A text after the line: its path, where the message has an empty text, and its bytes in UTF-8. */
type Text = readonly [place: TextPath, bytes: number];

export type ExtractedTexts = {
  /** The message with an empty text at each path; a copy if there are any texts. */
  readonly rest: object;
  readonly texts: readonly string[];
  readonly places: readonly TextPath[];
};

/**
 * Extracts the large texts of a message. They follow the line of JSON as raw bytes, so that they are not encoded as JSON.
 * Only searches near the top of the message. A text that is not well-formed stays.
 */
export function extractTexts(message: object): ExtractedTexts {
  const lift = new TextExtractor();
  const rest = isOpen(message) ? lift.inside(message) : message;
  return { rest, texts: lift.texts, places: lift.places };
}

type Open = Readonly<Record<string | number, unknown>>;

class TextExtractor {
  readonly texts: string[] = [];
  readonly places: TextPath[] = [];
  /** The current path. */
  readonly #path: (string | number)[] = [];
  #seen = 0;

  #from(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    return isOpen(value) && this.#path.length < textDepthMax ? this.inside(value) : value;
  }

  inside(value: Open): object {
    let copy: object | undefined;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (this.#seen === textsSeenMax) break;
      this.#seen += 1;
      this.#path.push(key);
      const left = this.#from(value[key]);
      this.#path.pop();
      if (left === value[key]) continue;
      copy ??= Array.isArray(value) ? [...value] : { ...value };
      Reflect.set(copy, key, left);
    }
    return copy ?? value;
  }

  #text(text: string): string {
    if (text.length < textCharsMin || this.texts.length === textsMax || !text.isWellFormed()) {
      return text;
    }
    this.texts.push(text);
    this.places.push([...this.#path]);
    return '';
  }
}

/** Whether JSON writes the value as it is: not a Date or another object with `toJSON`. */
function isOpen(value: unknown): value is Open {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** Puts every text back into the message. Fault `EXEC_PROTOCOL` if the texts do not match their list. */
export function restoreTexts(value: unknown, bytes: Buffer): object {
  if (!hasTexts(value)) throw broken();
  const { texts, ...message } = value;
  insertTexts(message, texts, bytes);
  return message;
}

/** The same for a message and a list of texts that were parsed separately. */
export function insertTexts(message: object, texts: unknown, bytes: Buffer): void {
  if (!isList(texts)) throw broken();
  let from = 0;
  for (const [place, size] of texts) {
    const text = toText(bytes.subarray(from, from + size));
    if (text === undefined || bytes.length - from < size) throw broken();
    put(message, { place, text });
    from += size;
  }
  if (from < bytes.length) throw broken();
}

function hasTexts(value: unknown): value is { readonly texts: unknown } {
  return isJsonObject(value) && 'texts' in value;
}

function isList(texts: unknown): texts is readonly Text[] {
  return Array.isArray(texts) && texts.length <= textsMax && texts.every(isText);
}

function isText(value: unknown): value is Text {
  return Array.isArray(value) && value.length === 2 && isTextPath(value[0]) && isCount(value[1]);
}

function isTextPath(value: unknown): value is TextPath {
  return Array.isArray(value) && value.length > 0 && value.every(isStep);
}

function isStep(value: unknown): boolean {
  return typeof value === 'string' || isCount(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Undefined: the bytes are not UTF-8. Most texts are ASCII, which is detected and decoded in a fraction of the time. */
export function toText(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

function put(message: object, { place, text }: { place: TextPath; text: string }): void {
  let holder: unknown = message;
  for (const key of place.slice(0, -1)) holder = ownOf(holder, key);
  const [last = ''] = place.slice(-1);
  if (ownOf(holder, last) !== '') throw broken();
  Reflect.set(Object(holder), last, text);
}

function ownOf(holder: unknown, key: string | number): unknown {
  if (typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)) {
    return Reflect.get(holder, key);
  }
  throw broken();
}

function broken(): Fault {
  return new Fault('EXEC_PROTOCOL', { because: 'texts do not match their list' });
}
