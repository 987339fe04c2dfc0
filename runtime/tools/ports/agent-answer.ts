import { z } from 'zod';
import type { Json } from '../../base/json.ts';

/** What a call gets from the agent that worked on it. */
export const AgentAnswer = z.object({
  answer: z.string(),
  /** Where it worked. */
  conversation: z.string(),
  /** Of an agent with an output. */
  output: z.custom<Json>().exactOptional(),
  /** Paths of what it shows to people, to be read from other conversations. */
  files: z.array(z.string()),
  /** What it cites, by the numbers of its own conversation. */
  sources: z.array(
    z.object({
      sid: z.int(),
      title: z.string(),
      url: z.string(),
      text: z.string().exactOptional(),
    }),
  ),
});
export type AgentAnswer = z.infer<typeof AgentAnswer>;
