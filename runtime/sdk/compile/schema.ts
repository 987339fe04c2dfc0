import { z } from 'zod';
import type { Json, JsonObject } from '../../base/json.ts';
import type { OutputSchema, OutputViolation } from '../agent-settings.ts';

/** A schema as the engine uses it: JSON Schema for the model, a check for what comes back. */
export function toOutputSchema(schema: z.ZodType): OutputSchema {
  return {
    schema: toJsonSchema(schema),
    parse: (value) => {
      const parsed = schema.safeParse(value);
      if (!parsed.success) return { ok: false, violations: toViolations(parsed.error) };
      return { ok: true, value: toJson(parsed.data) };
    },
  };
}

/** Of what a writer of the value must send. */
export function toJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(json));
}

export function toViolations(error: z.ZodError): readonly OutputViolation[] {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
}

export function toSentence(violations: readonly OutputViolation[]): string {
  return violations.map(({ path, message }) => `${path || 'it'}: ${message}`).join('; ');
}

/** What `JSON.stringify` keeps of a value; nothing at all is null. */
export function toJson(value: unknown): Json {
  return parse(JSON.stringify({ value })).value ?? null;
}

function parse(text: string): { value?: Json } {
  return JSON.parse(text);
}
