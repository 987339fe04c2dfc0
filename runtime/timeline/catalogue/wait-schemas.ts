import { z } from 'zod';
import { callIdSchema } from '../ids.ts';
import { entry, silent, storedJson, turnPath } from './entry.ts';

/** How long a decision of a person applies: to this call, to the turn, or to the conversation. */
const rememberSchema = z.enum(['once', 'turn', 'conversation']);

const error = z.looseObject({ code: z.string().exactOptional(), message: z.string() });

/**
 * `tool_failure`: whether the turn goes on after a call has failed. `spending`: whether a used-up spending limit is
 * extended, which is a question of the turn, without a call. Absent: whether a call may run.
 */
const approvalKind = z.enum(['tool_failure', 'spending']);

/** A spending limit in one period, and how much its extension adds. */
const extension = z.looseObject({
  of: z.enum(['user', 'tenant']),
  per: z.enum(['day', 'month']),
  period: z.string(),
  usd: z.number().exactOptional(),
  tokens: z.number().exactOptional(),
});

/**
 * Blocks of waiting calls and turns: for approval by a person, execution by a client, or another agent. `request` is the id
 * of the call; for a failed call or a question of the turn, an id of its own.
 */
export const waitSchemas = {
  'approval.request': entry({
    data: z.looseObject({
      request: z.string(),
      kind: approvalKind.exactOptional(),
      call: callIdSchema.exactOptional(),
      tool: z.string().exactOptional(),
      title: z.string(),
      detail: z.string().exactOptional(),
      input: z.record(z.string(), storedJson).exactOptional(),
      extension: extension.exactOptional(),
      remember: rememberSchema,
      deadline: z.string(),
    }),
    path: turnPath('ar', /^approval\.request\.[\w-]+$/),
    policy: silent,
  }),
  'approval.decision': entry({
    data: z.looseObject({
      request: z.string(),
      allow: z.boolean(),
      remember: rememberSchema.exactOptional(),
      input: z.record(z.string(), storedJson).exactOptional(),
    }),
    path: turnPath('ar', /^approval\.decision\.[\w-]+$/),
    policy: silent,
  }),
  'approval.close': entry({
    data: z.looseObject({
      request: z.string(),
      kind: approvalKind.exactOptional(),
      tool: z.string().exactOptional(),
      outcome: z.enum(['allowed', 'denied', 'expired', 'interrupted']),
      remember: rememberSchema,
    }),
    path: turnPath('ar', /^approval\.close\.[\w-]+$/),
    policy: silent,
  }),
  'external.call': entry({
    data: z.looseObject({
      call: callIdSchema,
      tool: z.string(),
      input: z.record(z.string(), storedJson),
      deadline: z.string(),
      /** The turn does not wait: it closes, and the caller performs the call. */
      handed_off: z.literal(true).exactOptional(),
    }),
    path: turnPath('ar', /^external\.call\.[\w-]+$/),
    policy: silent,
  }),
  'agent.call': entry({
    data: z.looseObject({
      call: callIdSchema,
      tool: z.string(),
      agent: z.string(),
      /** The conversation of the delegated agent; created when the call starts. */
      conversation: z.string(),
      input: z.record(z.string(), storedJson),
      rounds: z.int().positive().exactOptional(),
      deadline: z.string(),
    }),
    path: turnPath('ar', /^agent\.call\.[\w-]+$/),
    policy: silent,
  }),
  'external.result': entry({
    data: z.looseObject({
      call: callIdSchema,
      ok: z.boolean(),
      ret: storedJson.exactOptional(),
      error: error.exactOptional(),
    }),
    path: turnPath('ar', /^external\.result\.[\w-]+$/),
    policy: silent,
  }),
  /** Recalls the event with the same path. */
  'external.recall': entry({
    data: z.looseObject({ event_id: z.string() }),
    path: (path) => path !== undefined,
    policy: silent,
  }),
};
