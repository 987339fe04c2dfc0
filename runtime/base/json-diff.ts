import { isJsonObject, type Json } from './json.ts';

/** `field`: names and indexes from the outside in, joined by dots. An undefined value is absent. */
export type JsonDifference = {
  readonly field: string;
  readonly recorded: Json | undefined;
  readonly now: Json | undefined;
};

/** The first difference between two values; undefined if they are equal. The order of keys does not matter. */
export function firstDifference(
  recorded: Json | undefined,
  now: Json | undefined,
  field = '',
): JsonDifference | undefined {
  const [a, b] = [entriesOf(recorded), entriesOf(now)];
  if (!a || !b) {
    return Object.is(recorded, now) ? undefined : { field, recorded, now };
  }
  for (const key of new Set([...a.keys(), ...b.keys()])) {
    const inside = field === '' ? key : `${field}.${key}`;
    const found = firstDifference(a.get(key), b.get(key), inside);
    if (found) return found;
  }
  return undefined;
}

function entriesOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (Array.isArray(value)) return new Map(value.map((each: Json, index) => [`${index}`, each]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}
