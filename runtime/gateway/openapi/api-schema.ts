import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';

/** The names under which schemas stand in the document. */
export const schemaNames = z.registry<{ id: string; description?: string }>();

/** Of what a client sends (`input`) or reads (`output`), which may say more than is told today. */
export function toApiSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    metadata: schemaNames,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) {
        delete jsonSchema.additionalProperties;
      }
      // What is binary over a socket has no place in JSON.
      const { anyOf } = jsonSchema;
      const said = anyOf?.filter((one) => Object.keys(one).length > 0) ?? [];
      if (anyOf && said.length > 0) jsonSchema.anyOf = said;
      // The range of safe integers, which zod states for every integer.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return JSON.parse(JSON.stringify(made));
}
