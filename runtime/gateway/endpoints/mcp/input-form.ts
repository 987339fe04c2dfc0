import { isDeepStrictEqual } from 'node:util';
import type { PrimitiveSchemaDefinition } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { formFieldsMax, formTextCharsMax } from './messages/limits.ts';

type Field = PrimitiveSchemaDefinition;
export type Fields = Readonly<Record<string, Field>>;

const titled = z.object({ const: z.string(), title: z.string().optional() });
const head = { title: z.string().optional(), description: z.string().optional() };
const words = z.array(z.string());
const text = z.object({
  ...head,
  type: z.literal('string'),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional().catch(undefined),
  default: z.string().max(formTextCharsMax).optional(),
});
const number = z.object({
  ...head,
  type: z.enum(['number', 'integer']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});
const flag = z.object({ ...head, type: z.literal('boolean'), default: z.boolean().optional() });
const choice = z.object({
  ...head,
  type: z.literal('string'),
  enum: words,
  enumNames: words.optional(),
  default: z.string().optional(),
});
const titledChoice = z
  .object({ ...head, anyOf: z.array(titled).min(1), default: z.string().optional() })
  .transform(({ anyOf, ...rest }) => ({ ...rest, type: 'string' as const, oneOf: named(anyOf) }));
const list = { ...head, type: z.literal('array'), default: words.optional() };
const choices = z.object({ ...list, items: z.object({ type: z.literal('string'), enum: words }) });
const titledChoices = z
  .object({ ...list, items: z.object({ anyOf: z.array(titled).min(1) }) })
  .transform(({ items, ...rest }) => ({ ...rest, items: { anyOf: named(items.anyOf) } }));

const field = z.union([choice, titledChoice, choices, titledChoices, text, number, flag]);

function named(all: readonly z.infer<typeof titled>[]) {
  return all.map((each) => ({ const: each.const, title: each.title ?? each.const }));
}

/** The arguments of a call that a form of the protocol can show, with their values as defaults. */
export function fieldsOf(parameters: JsonObject, input: JsonObject): Fields {
  // A preview of an input that is too large to show.
  if (input['truncated'] === true) return {};
  const { properties = {} } = z.looseObject({ properties: schemas.optional() }).parse(parameters);
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const value = input[name];
    const read = field.safeParse({ ...schema, ...(value === undefined ? {} : { default: value }) });
    return read.success ? [[name, withoutGaps(read.data)] as const] : [];
  });
  return Object.fromEntries(fields.slice(0, formFieldsMax));
}

const schemas = z.record(z.string(), z.record(z.string(), z.unknown()));

function withoutGaps(read: z.infer<typeof field>): Field {
  return Object.fromEntries(
    Object.entries(read).filter(([, value]) => value !== undefined),
  ) as Field;
}

/** What a person has changed in a form. Undefined: nothing. */
export function changesIn(fields: Fields, content: JsonObject): JsonObject | undefined {
  const changed = Object.entries(fields).flatMap(([name, shown]) => {
    const value = content[name];
    const isSame = value === undefined || isDeepStrictEqual(value, shown.default);
    return isSame ? [] : [[name, value] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
