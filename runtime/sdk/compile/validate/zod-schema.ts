import { types } from 'node:util';
import { z } from 'zod';
import type { Json, JsonObject } from '../../../base/json.ts';
import { Refusal } from '../../../base/refusal.ts';
import type { OutputSchema, OutputViolation } from '../../contract/agent-settings.ts';

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

/** Of what a writer of the value must send, or of what a reader finds. */
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

/** What `JSON.stringify` keeps of a value; nothing at all is null. */
export function toJson(value: unknown): Json {
  return parse(JSON.stringify({ value })).value ?? null;
}

/** As `toJson`, of what a tool returned. Refusal `bytes_returned` where bytes are in it, of which JSON would make numbers. */
export function toReturned(value: unknown): Json {
  return parse(JSON.stringify({ value }, refuseBytes)).value ?? null;
}

/** `value` is what a `toJSON` made of it already, a Buffer's among them. */
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
