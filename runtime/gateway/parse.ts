import type { z } from 'zod';
import { Refusal } from '../base/refusal.ts';

/** Problems told of one bad input; the first ones say enough. */
const problemsMax = 5;

/** What a stranger sent, as what it must be. Refusal `invalid_input` names each place that does not fit. */
export function parseInput<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.slice(0, problemsMax).map(({ path, message }) => {
    const place = path.map((part, at) =>
      typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`,
    );
    return `${place.join('') || 'message'}: ${message}`;
  });
  throw new Refusal('invalid_input', problems.join('; '));
}
