import { isAscii, isUtf8 } from 'node:buffer';
import { Fault } from '../../runtime/base/fault.ts';
import { isJsonObject } from '../../runtime/base/json.ts';
import { textCharsMin, textDepthMax, textsMax, textsSeenMax } from './limits.ts';

/** Names and positions from the message to one of its texts. */
type Place = readonly (string | number)[];

/** For each text that stands behind the line: its place, where an empty text stands, and its bytes in UTF-8. */
type Text = readonly [place: Place, bytes: number];

export type Lifted = {
  /** With an empty text in each place; a copy, if there is any. */
  readonly rest: object;
  readonly texts: readonly string[];
  readonly places: readonly Place[];
};

/**
 * The message without its large texts: they are to follow its line of JSON as they are, so that nobody has to write or
 * read them as JSON. Looked for near the top only. A text that is no UTF-8 stays.
 */
export function liftTexts(message: object): Lifted {
  const lift = new Lift();
  const rest = isOpen(message) ? lift.inside(message) : message;
  return { rest, texts: lift.texts, places: lift.places };
}

type Open = Readonly<Record<string | number, unknown>>;

class Lift {
  readonly texts: string[] = [];
  readonly places: Place[] = [];
  /** Where we are. */
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

/** What JSON shows as it is: no Date, nothing that says itself how it is written. */
function isOpen(value: unknown): value is Open {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** The message with every text where it belongs. Fault `EXEC_PROTOCOL` if what it says of them is not what came. */
export function placeTexts(told: unknown, bytes: Buffer): object {
  if (!isTold(told)) throw broken();
  const { texts, ...message } = told;
  putTexts(message, texts, bytes);
  return message;
}

/** The same, where the message and the list of its texts were read apart. */
export function putTexts(message: object, texts: unknown, bytes: Buffer): void {
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

function isTold(value: unknown): value is { readonly texts: unknown } {
  return isJsonObject(value) && 'texts' in value;
}

function isList(texts: unknown): texts is readonly Text[] {
  return Array.isArray(texts) && texts.length <= textsMax && texts.every(isText);
}

function isText(value: unknown): value is Text {
  return Array.isArray(value) && value.length === 2 && isPlace(value[0]) && isCount(value[1]);
}

function isPlace(value: unknown): value is Place {
  return Array.isArray(value) && value.length > 0 && value.every(isStep);
}

function isStep(value: unknown): boolean {
  return typeof value === 'string' || isCount(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Undefined: the bytes are no UTF-8. Most are ASCII, which is both found and read in a fraction of the time. */
export function toText(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

function put(message: object, { place, text }: { place: Place; text: string }): void {
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
  return new Fault('EXEC_PROTOCOL', { because: 'texts that are not what was said of them' });
}
