import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { JobDefinition } from '../../define/surfaces.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';

const noInput = z.object({});

/** Parses the input of the job's `run`. Refusal `invalid_input`. */
export async function parseJobInput(
  { id, input: schema = noInput }: JobDefinition,
  input: unknown,
): Promise<object> {
  const parsed = await schema.safeParseAsync(input);
  if (parsed.success) return parsed.data;
  const because = toSentence(toViolations(parsed.error));
  throw new Refusal('invalid_input', `invalid input for job “${id}”: ${because}`);
}
