import { isJsonObject, type Json } from './json.ts';

/** `field`: names and indexes from the outside in, joined by dots. Undefined: it is not there. */
export type JsonDifference = {
  readonly field: string;
  readonly recorded: Json | undefined;
  readonly now: Json | undefined;
};

/** The first place where two values differ; undefined where they are equal, whatever the order of their keys. */
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
