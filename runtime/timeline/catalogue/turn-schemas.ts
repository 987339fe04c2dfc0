import { z } from 'zod';
import { reactions } from '../feedback.ts';
import { turnIdSchema } from '../ids.ts';
import { entry, type Policy, pathless, silent, storedJson, turnPath } from './entry.ts';

const said: Policy = { render: 'event', prune: 'stub', compact: 'summarise', preserve: false };
const own: Policy = { render: 'thinking', prune: 'drop', compact: 'drop', preserve: false };
const usage = z.looseObject({ input_tokens: z.number(), output_tokens: z.number() });

/** Reasoning that goes back to models of the same family: the blob is a list of pieces of kind `carry`. */
const carry = z.object({
  family: z.string(),
  blob: z.object({ hash: z.string(), size: z.number() }),
});

/** Starts and ends of turns and rounds, messages of users, and output of the agent. */
export const turnSchemas = {
  'turn.open': entry({
    data: z.looseObject({ bundle: z.string().optional(), agent: z.string().optional() }),
    path: pathless,
    policy: silent,
  }),
  'turn.close': entry({
    data: z.looseObject({
      reason: z.enum(['completed', 'exhausted', 'interrupted', 'failed', 'parked', 'handed_off']),
      files: z.array(z.looseObject({ path: z.string() })).optional(),
      error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
      /** Events that joined the turn and that the next turn answers. */
      unanswered_events: z.array(z.string()).optional(),
      /** With `handed_off`: the calls that the caller performs. */
      calls: z
        .array(z.looseObject({ call: z.string(), tool: z.string(), input: storedJson }))
        .optional(),
    }),
    path: pathless,
    policy: { render: 'close', prune: 'stub', compact: 'digest', preserve: false },
  }),
  /** In a fork: its turn goes on after the block at which it was forked. `edited`: whose result a person wrote. */
  'turn.resume': entry({
    data: z.looseObject({
      edited: z.looseObject({ conversation: z.string(), block: z.int().min(1) }).optional(),
    }),
    path: pathless,
    policy: silent,
  }),
  'round.open': entry({
    data: z.looseObject({
      round: z.int().min(1),
      as_of: z.int().min(0),
      phase: z.string().optional(),
      renderer: z.string().optional(),
      /** Absent: the text form. */
      form: z.literal('messages').optional(),
      model: z.string().optional(),
      catalogue: z.string().optional(),
      /** The tools that the system text describes from this round on, where that may differ from all tools. */
      shown_tools: z.looseObject({ agent: z.string(), tools: z.array(z.string()) }).optional(),
      /** How the reply is written. Absent: channels. */
      protocol: z.string().optional(),
      /** `offer`: tools that are a parameter of the request, not text. */
      hashes: z
        .looseObject({ system: z.string().optional(), offer: z.string().optional() })
        .optional(),
      tokens: z.looseObject({ system: z.number(), announce: z.number() }).optional(),
    }),
    path: pathless,
    policy: silent,
  }),
  'round.close': entry({
    data: z.looseObject({ round: z.int().min(1), outcome: z.string() }),
    path: pathless,
    policy: silent,
  }),
  'user.prompt': entry({
    data: z.looseObject({ payload: storedJson.optional() }).optional(),
    path: turnPath('ar', /^user\.prompt$/),
    policy: said,
  }),
  'user.attachment': entry({
    data: z.looseObject({
      filename: z.string(),
      size: z.number(),
      /** The text of a PDF. */
      text: z.object({ hash: z.string(), size: z.number() }).optional(),
    }),
    path: turnPath('fi', /^(user\.attachments\/.+|external\.[\w.-]+\.attachments\/.+\/.+)$/s),
    policy: { render: 'attachment', prune: 'stub', compact: 'digest', preserve: false },
  }),
  'external.followup': entry({
    data: z.looseObject({ payload: storedJson.optional() }).optional(),
    path: turnPath('ar', /^external\.followup\.[^.]+$/),
    policy: { ...said, prune: 'keep', preserve: true },
  }),
  'external.steer': entry({
    data: z.looseObject({ payload: storedJson.optional() }).optional(),
    path: turnPath('ar', /^external\.steer\.[^.]+$/),
    policy: { ...said, prune: 'keep', preserve: true },
  }),
  feedback: entry({
    data: z.looseObject({
      turn_id: turnIdSchema,
      /** `null`: withdraws earlier feedback. */
      reaction: z.enum(reactions).nullable(),
      origin: z.enum(['user', 'machine']),
      confidence: z.number().optional(),
      message_id: z.string().optional(),
      said_at: z.string().optional(),
    }),
    path: turnPath('ar', /^feedback\.[\w-]+$/),
    policy: { ...silent, render: 'feedback', prune: 'keep' },
  }),
  /** An agent program works on the turn, in a session of its own. */
  'agent.session': entry({
    data: z.looseObject({
      agent: z.string(),
      program: z.string(),
      session: z.string(),
      /** The program continues a session that an earlier process of it began. */
      resumed: z.boolean(),
    }),
    path: pathless,
    policy: silent,
  }),
  'model.call': entry({
    /** A round of phase `direct` runs without a model: the caller chose the call. */
    data: z.looseObject({
      model: z.string().optional(),
      usage: usage.optional(),
      carry: carry.optional(),
    }),
    path: pathless,
    policy: silent,
  }),
  'react.thinking': entry({ data: z.looseObject({}).optional(), path: pathless, policy: own }),
  'react.notes': entry({
    data: z.looseObject({}).optional(),
    path: pathless,
    policy: { ...own, render: 'notes', compact: 'summarise' },
  }),
  timeline_text: entry({
    data: z.looseObject({}).optional(),
    path: pathless,
    policy: { ...own, render: 'remark', compact: 'summarise' },
  }),
  'react.note': entry({
    data: z.looseObject({ tag: z.string().optional() }).optional(),
    path: turnPath('ar', /^react\.note\.\d+$/),
    policy: { render: 'note', prune: 'keep', compact: 'summarise', preserve: true },
  }),
  'assistant.completion': entry({
    data: z.looseObject({
      n: z.int().min(1),
      degraded: z.boolean().optional(),
      sources_used: z.array(z.int()).optional(),
      followups: z.array(z.string()).optional(),
    }),
    path: turnPath('ar', /^assistant\.completion\.\d+$/),
    policy: { ...said, render: 'completion' },
  }),
  'conv.working.summary': entry({
    data: z.looseObject({}).optional(),
    path: turnPath('ws', /^conv\.working\.summary\.attempt\.\d+$/),
    policy: { render: 'summary', prune: 'keep', compact: 'summarise', preserve: false },
  }),
};
