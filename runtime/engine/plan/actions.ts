import { z } from 'zod';
import { invariant } from '../../base/assert.ts';
import { isPlainJson, type Json } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import { storedJson } from '../../timeline/catalogue/entry.ts';
import { callIdSchema, streamNameSchema } from '../../timeline/ids.ts';

/** One accepted action as stored in `model.call`, so that a worker that takes over can continue. */
export const Action = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('call_tool'),
    call: callIdSchema,
    tool: z.string(),
    input: z.record(z.string(), storedJson),
    notes: z.string(),
    /** The stream that showed the content of a file while it was written. */
    stream: streamNameSchema.optional(),
    /** The call is recorded as not executed, for this reason. */
    declined: z.string().exactOptional(),
  }),
  z.object({
    kind: z.enum(['complete', 'exit']),
    call: callIdSchema,
    /** Absent: the answer that the user has already seen is final. */
    answer: z.string().optional(),
    stream: streamNameSchema,
    followups: z.array(z.string()),
    output: storedJson.optional(),
    /** The sources of strings in `output`, by JSON pointer. */
    citations: z.array(z.object({ path: z.string(), sids: z.array(z.int()) })).optional(),
    summary: z.string().optional(),
    degraded: z.boolean(),
  }),
]);
export type Action = z.infer<typeof Action>;
export type ToolAction = Extract<Action, { kind: 'call_tool' }>;
export type FinalAction = Exclude<Action, { kind: 'call_tool' }>;

export function isCall(action: Action): action is ToolAction {
  return action.kind === 'call_tool';
}

/** Actions for the data of a block. */
export function toRecordedActions(actions: readonly Action[]): Json {
  invariant(isPlainJson(actions, Number.POSITIVE_INFINITY), 'an action is JSON');
  return actions;
}

const Recorded = z.object({ actions: z.array(Action) });

/** A round of a future version may record actions that this version does not know; it then has none here. */
export function actionsOf(modelCall: Block): readonly Action[] {
  const recorded = Recorded.safeParse(modelCall.data);
  return recorded.success ? recorded.data.actions : [];
}
