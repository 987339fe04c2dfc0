import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';

/** A structured output that is described by a JSON Schema. */
export type OutputByJsonSchema = {
  readonly schema: JsonObject;
  parse(value: Json):
    | { readonly ok: true; readonly value: Json }
    | {
        readonly ok: false;
        readonly violations: readonly { readonly path: string; readonly message: string }[];
      };
};

/**
 * Refusal `invalid_input` if the schema cannot be checked. The model sees the whole schema; patterns are not checked,
 * because a pattern can be written to take forever.
 */
export function outputByJsonSchema(schema: JsonObject): OutputByJsonSchema {
  const type = compile(withoutPatterns(schema));
  return {
    schema,
    parse: (value) => {
      const parsed = type.safeParse(value);
      if (parsed.success) return { ok: true, value };
      const violations = parsed.error.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message,
      }));
      return { ok: false, violations };
    },
  };
}

function compile(schema: Json): z.ZodType {
  try {
    // Checked by the library itself, which throws.
    return z.fromJSONSchema(z.looseObject({}).parse(schema));
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal('invalid_input', `options.output: ${because.slice(0, 300)}`);
  }
}

function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      !(name === 'pattern' && typeof value === 'string') && name !== 'patternProperties',
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutPatterns(value)]));
}
