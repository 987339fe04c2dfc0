import { z } from 'zod';
import type { Refused, WireError } from '../../client/protocol/envelope.ts';
import { schemaNames } from './api-schema.ts';

const wireError = z.object({
  code: z.string(),
  message: z.string(),
  retry_after_ms: z.number().exactOptional(),
  file: z.string().exactOptional(),
  reason: z.string().exactOptional(),
}) satisfies z.ZodType<WireError>;

/** The body of every error response. */
export const errorBody = z.object({
  ok: z.literal(false),
  status: z.enum(['refused', 'conflict']).exactOptional(),
  error: wireError,
}) satisfies z.ZodType<Refused>;

schemaNames.add(wireError, {
  id: 'Error',
  description: 'A code in lower case is a refusal, in upper case a fault of the server.',
});
schemaNames.add(errorBody, { id: 'Refused' });
