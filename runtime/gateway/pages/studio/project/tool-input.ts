import type { FieldSchema, ObjectSchema } from '../data/project-wire.ts';

/** The input of a tool from the texts of a form. An empty field is left out. Throws if a text is not JSON where it must be. */
export function toInput(
  { properties = {} }: ObjectSchema,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties).flatMap(([name, schema]) => {
    const text = values[name] ?? '';
    return text === '' ? [] : [[name, toValue(name, { schema, text })] as const];
  });
  return Object.fromEntries(entries);
}

function toValue(name: string, { schema, text }: { schema: FieldSchema; text: string }): unknown {
  if (schema.type === 'string' || (schema.type === undefined && schema.enum !== undefined))
    return text;
  try {
    return JSON.parse(text);
  } catch {
    if (schema.type === undefined) return text;
    throw new Error(
      `${name}: must be ${schema.type === 'array' || schema.type === 'object' ? 'JSON' : `a ${schema.type}`}`,
    );
  }
}
