import { z } from 'zod';
import { turnIdSchema } from '../../../runtime/timeline/ids.ts';
import type { SnippetQuery, TurnQuery } from '../../../runtime/timeline/ports/store.ts';

const range = {
  targets: z.array(z.enum(['assistant', 'user', 'attachment', 'summary', 'notes'])),
  conversation: z.string().exactOptional(),
  agent: z.string().exactOptional(),
  from: z.string().exactOptional(),
  to: z.string().exactOptional(),
  except: turnIdSchema.exactOptional(),
};

/** A search in the memory of the user of a call. */
export const Search: z.ZodType<SnippetQuery> = z.strictObject({
  ...range,
  text: z.string().exactOptional(),
  limit: z.int().positive(),
});

/** A list of turns from the memory of the user of a call. */
export const Turns: z.ZodType<TurnQuery> = z.strictObject({
  ...range,
  order: z.enum(['asc', 'desc']),
  offset: z.int().min(0),
  limit: z.int().positive(),
});
