import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';

/** The names of schemas in the document. */
export const schemaNames = z.registry<{ id: string; description?: string }>();

/** The schema of what a client sends (`input`) or reads (`output`); output may have more fields than documented. */
export function toApiSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    metadata: schemaNames,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // Binary data, which a socket can carry, does not exist in JSON.
      const { anyOf } = jsonSchema;
      const typed = anyOf?.filter((one) => Object.keys(one).length > 0) ?? [];
      if (anyOf && typed.length > 0) jsonSchema.anyOf = typed;
      // Omit the range of safe integers, which zod adds to every integer.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(JSON.stringify(made));
}
