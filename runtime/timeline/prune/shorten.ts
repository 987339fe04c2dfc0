import { isJsonObject, type Json } from '../../base/json.ts';
import {
  compactCharsMax,
  compactItemsMax,
  compactKeysMax,
  keptLinesMax,
  prunedFieldCharsMax,
  prunedItemsMax,
  prunedKeysMax,
  prunedTextCharsMax,
  prunedToolTextCharsMax,
  replacementExtraTokensMax,
  replacementTokensMax,
} from '../limits.ts';
import { brief, quote } from '../render/text.ts';
import { countTokens } from '../tokens.ts';

/** Input: the displayed text, the value behind it if there is one, and the path of the full text. */
export type ShortenInput = {
  readonly text: string;
  readonly value?: Json | undefined;
  readonly path: string;
};

/**
 * The longest form within the limits: the value with its long fields cut, compact JSON of a part of it, single lines, or
 * only the path of the full text.
 */
export function shorten({ text, value, path }: ShortenInput): string {
  const again = `(pruned; react.read ${path} for the whole)`;
  const tokens = countTokens(text);
  const max = Math.min(
    replacementTokensMax,
    Math.max(tokens + replacementExtraTokensMax, 2 * tokens),
  );
  const forms = value === undefined ? [lines] : [() => cutJson(value), () => compact(value), lines];
  for (const form of forms) {
    const shown = quote(form(text));
    if (shown === '' || shown.length > prunedTextCharsMax) continue;
    const whole = `${shown}\n${again}`;
    if (countTokens(whole) <= max) return whole;
  }
  return again;
}

type Cut = { readonly chars: number; readonly items: number; readonly keys: number };
const gentle: Cut = { chars: prunedFieldCharsMax, items: prunedItemsMax, keys: prunedKeysMax };
const firm: Cut = { chars: compactCharsMax / 4, items: compactItemsMax, keys: compactKeysMax };
/** Fields that contain long texts of a tool; other fields are names or counts. */
const longFields: ReadonlySet<string> = new Set(['text', 'content', 'preview', 'body', 'snippet']);

function cutJson(value: Json): string {
  return JSON.stringify(cut(value, gentle));
}

function compact(value: Json): string {
  return brief(JSON.stringify(cut(value, firm)), compactCharsMax);
}

function cut(value: Json, at: Cut, field = ''): Json {
  if (typeof value === 'string') {
    const most = longFields.has(field) ? Math.min(at.chars, prunedToolTextCharsMax) : at.chars;
    return brief(value, most);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (!isJsonObject(value)) return value.slice(0, at.items).map((each) => cut(each, at, field));
  const entries = Object.entries(value).slice(0, at.keys);
  return Object.fromEntries(entries.map(([key, each]) => [key, cut(each, at, key)]));
}

/** The first lines that are not blank, each cut. */
function lines(text: string): string {
  const kept = text.split('\n', prunedItemsMax).filter((line) => line.trim() !== '');
  return kept
    .slice(0, keptLinesMax)
    .map((line) => brief(line, compactCharsMax / 4))
    .join('\n');
}
