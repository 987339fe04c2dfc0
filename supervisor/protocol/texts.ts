import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { Fault } from '../../runtime/base/fault.ts';
import { textCharsMin, textDepthMax, textsMax, textsSeenMax } from './limits.ts';

/** Names and positions from the message to one of its texts. */
type Place = readonly (string | number)[];

/** For each text that stands behind the line: its place, where an empty text stands, and its bytes in UTF-8. */
const Text = z.tuple([z.array(z.union([z.string(), z.int()])).min(1), z.int().nonnegative()]);
const Told = z.looseObject({ texts: z.array(Text).max(textsMax) });

export type Lifted = { readonly message: unknown; readonly texts: readonly string[] };

/**
 * The message without its large texts: they are to follow its line of JSON as they are, so that nobody has to write or
 * read them as JSON. Looked for near the top only. A text that is no UTF-8 stays.
 */
export function liftTexts(message: object): Lifted {
  const lift = new Lift();
  const without = lift.from(message);
  const { texts, places } = lift;
  if (texts.length === 0) return { message, texts };
  const told = places.map((place, n) => [place, Buffer.byteLength(texts[n] ?? '')]);
  return { message: { ...Object(without), texts: told }, texts };
}

type Open = Readonly<Record<string | number, unknown>>;

class Lift {
  readonly texts: string[] = [];
  readonly places: Place[] = [];
  /** Where we are. */
  readonly #path: (string | number)[] = [];
  #seen = 0;

  from(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    return isOpen(value) && this.#path.length < textDepthMax ? this.#inside(value) : value;
  }

  #inside(value: Open): unknown {
    let copy: object | undefined;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      if (this.#seen === textsSeenMax) break;
      this.#seen += 1;
      this.#path.push(key);
      const left = this.from(value[key]);
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
  const found = Told.safeParse(told);
  if (!found.success) throw broken();
  const { texts, ...message } = found.data;
  let from = 0;
  for (const [place, size] of texts) {
    const part = bytes.subarray(from, from + size);
    if (part.length < size || !isUtf8(part)) throw broken();
    put(message, { place, text: part.toString() });
    from += size;
  }
  if (from < bytes.length) throw broken();
  return message;
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
