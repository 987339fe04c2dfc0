import { types } from 'node:util';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { OutputSchema, OutputViolation } from '../../contract/agent-settings.ts';

/** A schema for the engine: JSON Schema for the model, and a check for its output. */
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

/** JSON Schema of what a writer must send (`input`), or of what a reader receives (`output`). */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonObject {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(json));
}

export function toViolations(error: z.ZodError): readonly OutputViolation[] {
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
}

export function toSentence(violations: readonly OutputViolation[]): string {
  return violations.map(({ path, message }) => `${path || 'it'}: ${message}`).join('; ');
}

/** The value after `JSON.stringify`; null if nothing remains. */
export function toJson(value: unknown): Json {
  return parse(JSON.stringify({ value })).value ?? null;
}

/** Like `toJson`, for a tool's return value. Refusal `bytes_returned` if it contains bytes, which JSON would turn into numbers. */
export function toReturned(value: unknown): Json {
  return parse(JSON.stringify({ value }, refuseBytes)).value ?? null;
}

/** `value` may already be the result of a `toJSON`, such as a Buffer's. */
function refuseBytes(this: unknown, key: string, value: unknown): unknown {
  const held: unknown = Reflect.get(Object(this), key);
  if (!ArrayBuffer.isView(held) && !types.isAnyArrayBuffer(held) && !(held instanceof Blob)) {
    return value;
  }
  const where = key === 'value' ? 'The result' : `“${key.slice(0, 100)}” of the result`;
  const instead = 'write them with ctx.files.write and return the file it gives, or return text';
  throw new Refusal('bytes_returned', `${where} is bytes: ${instead}.`);
}

function parse(text: string): { value?: Json } {
  return JSON.parse(text);
}
