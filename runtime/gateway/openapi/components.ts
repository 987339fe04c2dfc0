import { z } from 'zod';
import { invariant } from '../../base/assert.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';

type Place = {
  /** Base name for schemas without a name of their own. */
  readonly name: string;
  /** Prefix for names that the schema defines, in case two schemas define the same one. */
  readonly prefix?: string;
};

const inner = '#/$defs/';
const outer = '#/components/schemas/';

/** The named schemas of one document, including the definitions inside each schema. */
export class Components {
  readonly #schemas = new Map<string, JsonObject>([['Json', { description: 'Any JSON value.' }]]);

  /** The schema with its references rewritten, so that it can be used anywhere in the document. */
  embed(schema: JsonObject, { name, prefix = '' }: Place): JsonObject {
    const { $schema: _, $defs, ...whole } = schema;
    const defs = Object.entries(isJsonObject($defs) ? $defs : {});
    const names = new Map(
      defs.map(([key, def]) => {
        const own = key.startsWith('__') ? `${name}.${key.slice(2)}` : `${prefix}${key}`;
        return [inner + key, isAnyJson(def) ? 'Json' : own.replace(/[^\w.-]/g, '_')] as const;
      }),
    );
    names.set('#', name);
    for (const [key, def] of defs) {
      const at = names.get(inner + key) ?? key;
      if (at !== 'Json') this.#put(at, asObject(rewriteRefs(def, names)));
    }
    const placed = asObject(rewriteRefs(whole, names));
    if (!refersTo(whole, '#')) return placed;
    this.#put(name, placed);
    return { $ref: outer + name };
  }

  toJson(): JsonObject {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #put(name: string, schema: JsonObject): void {
    const known = this.#schemas.get(name);
    const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(schema);
    invariant(isSame, `one schema is named ${name}`);
    this.#schemas.set(name, schema);
  }
}

/** The schema of any JSON value is replaced by a name, to avoid its recursion. */
function isAnyJson(def: Json): boolean {
  const text = JSON.stringify(def).replace(/#\/\$defs\/__schema\d+/g, '#/$defs/__schema0');
  return text === anyJson;
}

const anyJson = JSON.stringify(z.toJSONSchema(z.object({ any: z.json() })).$defs?.['__schema0']);

function rewriteRefs(value: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => rewriteRefs(item, names));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const name = key === '$ref' && typeof item === 'string' ? names.get(item) : undefined;
    return [key, name === undefined ? rewriteRefs(item, names) : outer + name];
  });
  return Object.fromEntries(entries);
}

function refersTo(value: Json, place: string): boolean {
  if (Array.isArray(value)) return value.some((item: Json) => refersTo(item, place));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => (key === '$ref' && item === place) || refersTo(item, place),
  );
}

function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : {};
}
