import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { closestTo } from '../../base/nearest.ts';
import { knownNamesMax, unknownParamCharsMax, violationsMax } from '../limits.ts';
import type { InputIssue } from '../ports/tool.ts';
import { listedParams } from './listed-params.ts';

/**
 * Parameters of an input that its JSON Schema does not list. Ignoring them silently would run something other than what was
 * requested. If a schema decides about additional properties itself (loose, strict, a record), the schema decides.
 */
export function unknownParams(input: JsonObject, schema: JsonObject): readonly InputIssue[] {
  return findUnknown(input, schema)
    .slice(0, violationsMax)
    .map(({ path, known }) => ({ path: path.map(short), message: messageFor(path, known) }));
}

type UnknownParam = {
  readonly path: readonly PropertyKey[];
  /** The listed parameters that the input may have beside it and does not have. */
  readonly known: readonly string[];
};

function findUnknown(value: Json, schema: Json | undefined): readonly UnknownParam[] {
  if (!isJsonObject(schema)) return [];
  const forms = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(forms)) return inNearestForm(value, forms);
  if (Array.isArray(value)) {
    return value.flatMap((each: Json, index) => below(index, findUnknown(each, schema['items'])));
  }
  const { properties, additionalProperties } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return [];
  const known = Object.keys(listedParams(schema)).filter((name) => !Object.hasOwn(value, name));
  return Object.entries(value).flatMap(([key, each]) => {
    if (Object.hasOwn(properties, key)) return below(key, findUnknown(each, properties[key]));
    return additionalProperties === undefined ? [{ path: [key], known }] : [];
  });
}

function below(key: PropertyKey, unknown: readonly UnknownParam[]): readonly UnknownParam[] {
  return unknown.map(({ path, known }) => ({ path: [key, ...path], known }));
}

/** Of several alternatives, the matching one with the fewest unknown parameters is assumed. */
function inNearestForm(value: Json, forms: readonly Json[]): readonly UnknownParam[] {
  const [nearest = []] = forms
    .filter((form) => isOfKind(value, form))
    .map((form) => findUnknown(value, form))
    .toSorted((a, b) => a.length - b.length);
  return nearest;
}

function isOfKind(value: Json, form: Json): boolean {
  if (!isJsonObject(form)) return true;
  const { type = kindOf(value), properties } = form;
  if (type !== kindOf(value)) return false;
  if (!isJsonObject(value) || !isJsonObject(properties)) return true;
  return Object.entries(properties).every(
    ([key, each]) =>
      !isJsonObject(each) || each['const'] === undefined || each['const'] === value[key],
  );
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function messageFor(path: readonly PropertyKey[], known: readonly string[]): string {
  if (known.length === 0) return 'unknown parameter: leave it out';
  const nearest = closestTo(String(short(path.at(-1) ?? '')), known);
  const others = known.filter((name) => name !== nearest).slice(0, knownNamesMax);
  if (nearest === undefined) return `unknown parameter; there are also ${others.join(', ')}`;
  const more = others.length === 0 ? '' : ` Others: ${others.join(', ')}`;
  return `unknown parameter; did you mean ${nearest}?${more}`;
}

function short(key: PropertyKey): PropertyKey {
  return typeof key === 'string' ? key.slice(0, unknownParamCharsMax) : key;
}
