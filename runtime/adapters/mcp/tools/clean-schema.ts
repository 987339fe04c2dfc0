import { isJsonObject, type Json, type JsonObject, wellFormed } from '../../../base/json.ts';
import { cutText } from '../../../tools/text/cut-text.ts';
import {
  parameterDescriptionCharsMax,
  propertyNameCharsMax,
  schemaDepthMax,
  schemaPartsMax,
} from './limits.ts';

/** Puts untrusted text on one line: in the system text, a separate line could look like one of ours. */
export function oneLine(text: string, charsMax: number): string {
  const line = wellFormed(text)
    .replaceAll(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line.length > charsMax ? `${cutText(line, charsMax - 1)}…` : line;
}

/**
 * A server's input schema as the model reads it: references are resolved, untrusted texts are put on one line, and
 * keywords that do not help to write the input are removed. Throws with a reason if it cannot be shown.
 */
export function shownSchema(schema: JsonObject): JsonObject {
  const shown = clean(schema, {
    root: schema,
    within: [],
    depth: 0,
    room: { parts: schemaPartsMax },
  });
  return { ...(isJsonObject(shown) ? shown : {}), type: 'object' };
}

type Place = {
  readonly root: JsonObject;
  /** References followed so far; a repeated one is a cycle. */
  readonly within: readonly string[];
  readonly depth: number;
  /** Shared by the whole schema: nested references could grow without limit. */
  readonly room: { parts: number };
};

function clean(schema: Json, place: Place): Json {
  if (!isJsonObject(schema)) return schema === false ? false : {};
  place.room.parts -= 1;
  if (place.room.parts < 0) throw new Error(`its schema has over ${schemaPartsMax} parts`);
  if (place.depth > schemaDepthMax) throw new Error(`its schema is over ${schemaDepthMax} deep`);
  const ref = schema['$ref'];
  if (typeof ref === 'string') return cleanTarget(ref, schema, place);
  const below = { ...place, depth: place.depth + 1 };
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      const shown = keywords.get(key)?.(value, below);
      return shown === undefined ? [] : [[key, shown]];
    }),
  );
}

/** Resolves a reference within the schema. A cyclic or external reference allows any value. */
function cleanTarget(ref: string, { description }: JsonObject, place: Place): Json {
  const target = place.within.includes(ref) ? undefined : at(place.root, ref);
  const depth = place.depth + 1;
  const shown =
    target === undefined ? {} : clean(target, { ...place, depth, within: [...place.within, ref] });
  if (!isJsonObject(shown) || typeof description !== 'string') return shown;
  return { ...shown, description: oneLine(description, parameterDescriptionCharsMax) };
}

function at(root: JsonObject, ref: string): Json | undefined {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  const names = ref.slice(2).split('/');
  return names.reduce<Json | undefined>((value, name) => {
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}

type Cleaning = (value: Json, place: Place) => Json | undefined;

const asSchema: Cleaning = (value, place) => clean(Array.isArray(value) ? {} : value, place);
const asList: Cleaning = (value, place) =>
  Array.isArray(value) ? value.map((each) => clean(each, place)) : undefined;
const asText: Cleaning = (value) =>
  typeof value === 'string' ? oneLine(value, parameterDescriptionCharsMax) : undefined;
/** Keywords that are copied unchanged. */
const asWord: Cleaning = (value) => (/^[\w.-]{1,40}$/.test(String(value)) ? value : undefined);
const asIs: Cleaning = (value) => value;

const keywords: ReadonlyMap<string, Cleaning> = new Map<string, Cleaning>([
  ['properties', (value, place) => (isJsonObject(value) ? properties(value, place) : undefined)],
  ...['items', 'additionalProperties', 'not'].map((key) => [key, asSchema] as const),
  ...['anyOf', 'oneOf', 'allOf'].map((key) => [key, asList] as const),
  ['description', asText],
  ['format', asWord],
  ...['type', 'enum', 'const', 'default', 'required'].map((key) => [key, asIs] as const),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (key) => [key, asIs] as const,
  ),
  ...['minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'].map(
    (key) => [key, asIs] as const,
  ),
]);

function properties(value: JsonObject, place: Place): JsonObject {
  const entries = Object.entries(value).map(([name, schema]) => {
    if (!isPlain(name))
      throw new Error(`the name of a parameter is unusable: ${oneLine(name, 80)}`);
    return [name, clean(schema, place)] as const;
  });
  return Object.fromEntries(entries);
}

function isPlain(name: string): boolean {
  return name.length <= propertyNameCharsMax && /^[\p{L}\p{N}_$@.:/-]+$/u.test(name);
}
