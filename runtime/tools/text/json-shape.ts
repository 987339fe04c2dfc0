import { isJsonObject, type Json } from '../../base/json.ts';
import { shapeDepthMax, shapeEntriesMax } from '../limits.ts';
import { grouped } from './cut-text.ts';

/** The structure of a JSON value without its contents: `{ rows: 1,461 × { date: string, max: number }, total: number }`. */
export function shapeOf(json: Json, depth = 0): string {
  if (json === null) return 'null';
  if (typeof json === 'string') return `string(${grouped(json.length)})`;
  if (typeof json !== 'object') return typeof json;
  if (depth >= shapeDepthMax) return Array.isArray(json) ? `[${grouped(json.length)}]` : '{…}';
  return isJsonObject(json) ? objectShape(json, depth) : listShape(json, depth);
}

function objectShape(json: { readonly [key: string]: Json }, depth: number): string {
  const entries = Object.entries(json);
  const shown = entries
    .slice(0, shapeEntriesMax)
    .map(([key, value]) => `${key.slice(0, 80)}: ${shapeOf(value, depth + 1)}`);
  const left = entries.length - shown.length;
  return `{ ${[...shown, ...(left > 0 ? [`… ${grouped(left)} more`] : [])].join(', ')} }`;
}

/** A list is described by its length and its first item. */
function listShape(json: readonly Json[], depth: number): string {
  const first = json[0];
  return first === undefined ? '[]' : `${grouped(json.length)} × ${shapeOf(first, depth + 1)}`;
}
