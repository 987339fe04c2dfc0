import { z } from 'zod';
import { Refusal } from '../../../base/refusal.ts';
import type { JobDefinition } from '../../define/surfaces.ts';
import { toSentence, toViolations } from '../validate/zod-schema.ts';

const noInput = z.object({});

/** What the job's `run` is given. Refusal `invalid_input`. */
export async function parseJobInput(
  { id, input: schema = noInput }: JobDefinition,
  input: unknown,
): Promise<object> {
  const parsed = await schema.safeParseAsync(input);
  if (parsed.success) return parsed.data;
  const because = toSentence(toViolations(parsed.error));
  throw new Refusal('invalid_input', `the input of job “${id}” does not fit: ${because}`);
}
