import type { Json, JsonObject } from '../../../../base/json.ts';
import type { FieldSchema, ObjectSchema } from './object-schema.ts';

/** The input of a tool from the texts of a form. An empty field is left out. Throws if a text is not JSON where it must be. */
export function toInput(
  { properties = {} }: ObjectSchema,
  values: Readonly<Record<string, string>>,
): JsonObject {
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const text = values[name] ?? '';
    return text === '' ? [] : [[name, toValue(name, { schema, text })] as const];
  });
  return Object.fromEntries(entries);
}

function toValue(name: string, { schema, text }: { schema: FieldSchema; text: string }): Json {
  if (schema.type === 'string' || (schema.type === undefined && schema.enum !== undefined))
    return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (schema.type === undefined) return text;
    throw new Error(
      `${name}: must be ${schema.type === 'array' || schema.type === 'object' ? 'JSON' : `a ${schema.type}`}`,
    );
  }
}

/** The text of a value in its field. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
