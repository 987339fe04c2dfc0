import { isJsonObject, type Json, wellFormed } from '../base/json.ts';
import { grouped } from './cut.ts';
import { retCharsMax } from './limits.ts';

export type Cleaned =
  | { readonly ok: true; readonly json: Json }
  | { readonly ok: false; readonly because: string };

/** What a tool returned, as JSON would carry it: dates as text, nothing as null, secrets masked, characters whole. */
export function cleanJson(value: unknown, mask: (text: string) => string): Cleaned {
  try {
    const text = JSON.stringify([value]);
    if (text.length > retCharsMax) {
      return {
        ok: false,
        because: `the result has ${grouped(text.length)} characters, more than ${grouped(retCharsMax)}; a tool writes as much to a file`,
      };
    }
    return { ok: true, json: cleanTexts(unwrapped(text), (leaf) => wellFormed(mask(leaf))) };
  } catch (error) {
    return { ok: false, because: `the result is not JSON: ${String(error)}` };
  }
}

/** JSON has no `undefined`; inside a list it is null. */
function unwrapped(list: string): Json {
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
