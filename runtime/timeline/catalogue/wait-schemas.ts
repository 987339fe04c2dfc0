import { z } from 'zod';
import { callIdSchema } from '../ids.ts';
import { entry, silent, storedJson, turnPath } from './entry.ts';

/** How long a decision of a person applies: to this call, to the turn, or to the conversation. */
const rememberSchema = z.enum(['once', 'turn', 'conversation']);

const error = z.looseObject({ code: z.string().exactOptional(), message: z.string() });

/**
 * `tool_failure`: whether the turn goes on after a call has failed. `spending`: whether a used-up spending limit is
 * extended, which is a question of the turn, without a call. `agent`: a question of an agent that works for this turn, in
 * its own conversation. Absent: whether a call may run.
 */
const approvalKind = z.enum(['tool_failure', 'spending', 'agent']);

/** A spending limit in one period, and how much its extension adds. */
const extension = z.looseObject({
  of: z.enum(['user', 'tenant']),
  per: z.enum(['day', 'month']),
  period: z.string(),
  usd: z.number().exactOptional(),
  tokens: z.number().exactOptional(),
});

/** A step of a plan. `agent`: `agent` or `bundle/agent`. `role`: of the model that works on it. */
const planStep = z.looseObject({
  id: z.string(),
  task: z.string(),
  agent: z.string(),
  needs: z.array(z.string()),
  hint: z.string().exactOptional(),
  role: z.string().exactOptional(),
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
      /** Of the agent that asks: its name, its conversation, and the request there. */
      agent: z.string().exactOptional(),
      conversation: z.string().exactOptional(),
      origin: z.string().exactOptional(),
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
      /** No one performs the call: it waits until this task has ended. */
      task: z.string().exactOptional(),
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
      /** The step of a plan that the agent works on. */
      step: z.string().exactOptional(),
      /** Its share of the budget of the turn. */
      lent: z
        .looseObject({
          rounds: z.int(),
          wall_ms: z.number(),
          tokens: z.number().exactOptional(),
          cost_usd: z.number().exactOptional(),
        })
        .exactOptional(),
    }),
    path: turnPath('ar', /^agent\.call\.[\w-]+(\.[\w-]+)?$/),
    policy: silent,
  }),
  'agent.plan': entry({
    data: z.looseObject({
      call: callIdSchema,
      tool: z.string(),
      goal: z.string().exactOptional(),
      steps: z.array(planStep),
    }),
    path: turnPath('ar', /^agent\.plan\.[\w-]+$/),
    policy: silent,
  }),
  /** The end of one step of a plan. */
  'agent.result': entry({
    data: z.looseObject({
      call: callIdSchema,
      step: z.string(),
      ok: z.boolean(),
      /** Absent: the step did not start. */
      conversation: z.string().exactOptional(),
      ret: z.json().exactOptional(),
      error: error.exactOptional(),
    }),
    path: turnPath('ar', /^agent\.result\.[\w-]+\.[\w-]+$/),
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
