import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { wireJsonCharsMax, wirePreviewCharsMax } from './limits.ts';

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function objectOf(value: Json | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

/** On the wire a missing value is omitted, not null. */
export function withoutUndefined(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) kept[key] = value;
  return kept;
}

/** The value, or, if its JSON is longer than the limit, `{ truncated, chars, preview }`. */
export function previewJson(value: Json | undefined): Json {
  const text = JSON.stringify(value ?? null);
  if (text.length <= wireJsonCharsMax) return value ?? null;
  return { truncated: true, chars: text.length, preview: previewText(text) };
}

export function previewText(text: string): string {
  return text.slice(0, wirePreviewCharsMax).toWellFormed();
}
