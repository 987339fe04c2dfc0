import { isJsonObject, type Json, wellFormed } from '../../base/json.ts';
import { retCharsMax } from '../limits.ts';

export type CleanResult =
  | { readonly kind: 'json'; readonly json: Json }
  /** It is JSON, and more of it than is passed. */
  | { readonly kind: 'large' }
  | { readonly kind: 'unfit'; readonly because: string };

/** What a tool returned, as JSON would carry it: dates as text, nothing as null, secrets masked, characters whole. */
export function cleanJson(value: unknown, mask: (text: string) => string): CleanResult {
  try {
    if (isLongString(value)) return { kind: 'large' };
    const text = JSON.stringify([value]);
    if (text.length > retCharsMax) return { kind: 'large' };
    return { kind: 'json', json: cleanTexts(unwrap(text), (leaf) => wellFormed(mask(leaf))) };
  } catch (error) {
    if (isStringTooLong(error)) return { kind: 'large' };
    return { kind: 'unfit', because: `the result is not JSON: ${String(error)}` };
  }
}

/** Needs no copy to be known. */
function isLongString(value: unknown): boolean {
  return typeof value === 'string' && value.length > retCharsMax;
}

/** No string has as many characters as its JSON would. */
function isStringTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Invalid string length';
}

/** JSON has no `undefined`; inside a list it is null. */
function unwrap(list: string): Json {
  return JSON.parse(list)[0];
}

function cleanTexts(json: Json, clean: (text: string) => string): Json {
  if (typeof json === 'string') return clean(json);
  if (Array.isArray(json)) return json.map((item) => cleanTexts(item, clean));
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, item]) => [wellFormed(key), cleanTexts(item, clean)]),
  );
}
