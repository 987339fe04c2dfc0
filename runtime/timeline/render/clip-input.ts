import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import {
  paramCharsMax,
  paramDepthMax,
  paramItemsMax,
  paramKeysMax,
  paramPreviewChars,
} from '../limits.ts';
import { cutNote } from './text.ts';

/** The parameters of a call as later prompts show them: short values in full, long strings by their beginning. */
export function clipInput(input: Json, path: string): string {
  return JSON.stringify(clipValue(input, { path, depth: 0 }));
}

/** The same as an object, for a prompt in which the model sees its own calls. */
export function clipParameters(input: JsonObject, path: string): JsonObject {
  const clipped = clipValue(input, { path, depth: 0 });
  return isJsonObject(clipped) ? clipped : {};
}

type At = { readonly path: string; readonly depth: number };

function clipValue(value: Json, at: At): Json {
  if (typeof value === 'string') return clipString(value, at);
  if (typeof value !== 'object' || value === null) return value;
  if (at.depth >= paramDepthMax) return `… (deeper; the whole is at ${at.path})`;
  const below = { ...at, depth: at.depth + 1 };
  if (!isJsonObject(value)) return clipList(value, below);
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, paramKeysMax)
    .map(([key, each]) => [key, clipValue(each, below)] as const);
  return Object.fromEntries(
    entries.length > paramKeysMax ? [...shown, ['…', more(entries.length, at)]] : shown,
  );
}

function clipList(list: readonly Json[], at: At): Json {
  const shown = list.slice(0, paramItemsMax).map((each) => clipValue(each, at));
  return list.length > paramItemsMax ? [...shown, more(list.length, at)] : shown;
}

function clipString(text: string, { path }: At): string {
  if (text.length <= paramCharsMax) return text;
  const beginning = text.slice(0, paramPreviewChars).toWellFormed();
  return `${beginning}${cutNote(`${paramPreviewChars} of ${text.length} characters`, path)}`;
}

function more(count: number, { path }: At): string {
  return `… (${count} in all; the whole is at ${path})`;
}
