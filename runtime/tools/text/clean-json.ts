import { isJsonObject, type Json, wellFormed } from '../../base/json.ts';
import { retCharsMax } from '../limits.ts';

type CleanResult =
  | { readonly kind: 'json'; readonly json: Json }
  /** It is JSON that exceeds the limit. */
  | { readonly kind: 'large' }
  | { readonly kind: 'unfit'; readonly because: string };

/** The return value of a tool as plain JSON: dates as text, undefined as null, secrets masked, strings well-formed. */
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

/** Known without serialising the value. */
function isLongString(value: unknown): boolean {
  return typeof value === 'string' && value.length > retCharsMax;
}

/** The JSON would be longer than a string can be. */
function isStringTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Invalid string length';
}

/** JSON has no `undefined`; inside a list it becomes null. */
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
