import { z } from 'zod';
import type { Json } from '../../base/json.ts';

/** The answer of a delegated agent to the call that delegated to it. */
export const AgentAnswer = z.object({
  answer: z.string(),
  /** The conversation in which the agent worked. */
  conversation: z.string(),
  /** Present if the agent has an output schema. */
  output: z.custom<Json>().exactOptional(),
  /** Paths of the files it shows to people, in the form that other conversations can read. */
  files: z.array(z.string()),
  /** The sources it cites, with the numbers of its own conversation. */
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

/** What came of the steps of a plan. */
export const PlanAnswer = z.object({
  steps: z.array(
    z.object({
      id: z.string(),
      agent: z.string(),
      /** Other steps have read its answer. */
      isNeeded: z.boolean(),
      answer: AgentAnswer.exactOptional(),
      /** Where the whole answer can be read. */
      path: z.string().exactOptional(),
      error: z.object({ code: z.string(), message: z.string() }).exactOptional(),
      /** Absent: the step did not start. */
      conversation: z.string().exactOptional(),
    }),
  ),
  /** Absent: it was not checked. */
  verdict: z.object({ achieved: z.boolean(), missing: z.string() }).exactOptional(),
  /** How often the turn may still run a plan. */
  replansLeft: z.int(),
});
export type PlanAnswer = z.infer<typeof PlanAnswer>;
