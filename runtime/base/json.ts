import { jsonDepthMax } from './bounded-json.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonObject = { readonly [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text without lone surrogates, so that every encoder can handle it. */
export function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** The value of a JSON text; undefined if the text is not valid JSON. No JSON text has the value undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether a value is JSON with at most `valuesMax` values, none nested deeper than `jsonDepthMax`. It keeps its own list
 * of values to visit, so deep nesting cannot exhaust the stack.
 */
export function isPlainJson(value: unknown, valuesMax: number): value is Json {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let seen = 1; ; seen += 1) {
    const next = waiting.pop();
    if (next === undefined) return true;
    if (seen + waiting.length > valuesMax || next.depth > jsonDepthMax) return false;
    const inner = partsOf(next.value);
    if (inner === undefined) return false;
    for (const each of inner) waiting.push({ value: each, depth: next.depth + 1 });
  }
}

/** Undefined: not a JSON value. */
function partsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value === 'number') return Number.isFinite(value) ? [] : undefined;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return [];
  if (typeof value !== 'object') return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? Object.values(value) : undefined;
}
