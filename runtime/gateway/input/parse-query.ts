import type { Context } from 'hono';
import type { z } from 'zod';
import { parseInput as mendInput } from '../../tools/definition/schema.ts';
import { parseInput } from './parse-input.ts';

/** The query of the request, with numbers and booleans parsed from text. Refusal `invalid_input`. */
export function queryOf<T>(context: Context, schema: z.ZodType<T>): T {
  const raw = context.req.query();
  const mended = mendInput(schema, raw);
  return parseInput(schema, mended.ok ? mended.input : raw);
}
