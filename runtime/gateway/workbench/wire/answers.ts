import { z } from 'zod';
import { reactions } from '../../../timeline/feedback.ts';
import { conversationStates } from '../../../timeline/ports/overview.ts';

/** The shapes of the answers, for the OpenAPI document. */
export const ok = z.literal(true);
export const seq = z.int();
export const next = seq.nullable();
const usage = z.record(z.string(), z.number());
export const time = z.string();
export const origin = z.object({ conversation_id: z.string(), seq });
export const conversation = z.object({
  ...{ id: z.string(), user: z.string(), title: z.string(), head: z.int() },
  ...{ created_at: time, last_activity_at: time },
  active_turn_id: z.string().optional(),
  forked_from: origin.optional(),
});
export const listed = conversation.extend({
  ...{ calls: z.int(), cost_usd: z.number(), agent: z.string().optional() },
  state: z.enum(conversationStates),
  passage: z
    .object({
      ...{ block: seq, text: z.string() },
      marks: z.array(z.object({ from: z.int(), to: z.int() })),
    })
    .optional(),
});
export const failure = z.looseObject({
  ...{ conversation_id: z.string(), user: z.string(), seq, turn: z.string(), at: time },
  ...{ tool: z.string().optional(), code: z.string(), message: z.string() },
});
export const rating = z.object({
  ...{
    conversation_id: z.string(),
    user: z.string(),
    title: z.string(),
    turn: z.string(),
    at: time,
  },
  ...{ reaction: z.enum(reactions), origin: z.enum(['user', 'machine']), text: z.string() },
  ...{ prompt: z.string(), answer: z.string() },
});
export const toolRow = z.object({
  ...{ tool: z.string(), calls: z.int(), failed: z.int(), ms: z.number() },
});
export const room = z.object({ limit: z.number(), left: z.number() });
export const limit = z.object({
  ...{ of: z.enum(['user', 'tenant']), per: z.enum(['day', 'month']), period: z.string() },
  ...{ cost_usd: room.optional(), tokens: room.optional() },
});
export const started = z.object({ ok, conversation_id: z.string(), turn_id: z.string() });
export const step = z.object({
  kind: z.enum(['model', 'tool', 'program', 'agent', 'client', 'approval']),
  ...{ name: z.string(), block: seq, ms: z.number().optional(), ok: z.boolean().optional() },
});
const round = z.looseObject({
  ...{ seq, round: z.int(), phase: z.string(), as_of: z.int(), at: time, usage },
  steps: z.array(step),
});
export const turn = z.looseObject({
  ...{ turn: z.string(), name: z.string(), seq, at: time, prompt: z.string(), usage },
  rounds: z.array(round),
});
export const range = z.object({
  ...{ from: z.int(), to: z.int(), block: z.int() },
  as: z.enum(['whole', 'heading', 'hidden', 'pruned', 'summary', 'runtime']),
  by: seq.optional(),
});
export const part = z.looseObject({
  in: z.enum(['system', 'timeline', 'tail']),
  ...{ kind: z.string(), role: z.string(), text: z.string(), tokens: z.number() },
  origins: z.array(range),
});
export const absence = z.object({ block: seq, because: z.string(), by: seq.optional() });
export const prompt = z.looseObject({
  ...{ ok, seq, turn: z.string(), round: z.int(), as_of: z.int(), tokens: z.number() },
  same_as_sent: z.boolean().optional(),
  ...{ parts: z.array(part), absent: z.array(absence), absent_omitted: z.int() },
});
export const reply = z.looseObject({
  ...{ ok, seq, reply: seq },
  stretches: z.array(z.object({ kind: z.string(), name: z.string(), text: z.string() })),
});
export const rows = z.object({
  ok,
  head: z.int(),
  total: z.int(),
  next,
  items: z.array(z.looseObject({ seq, type: z.string() })),
});
export const call = z.looseObject({
  seq,
  input_tokens: z.number(),
  read_tokens: z.number(),
  missed_tokens: z.number(),
});
export const group = z.looseObject({ key: z.string(), calls: z.int(), cost_usd: z.number() });
export const effect = z.looseObject({ ok, edit: z.string(), changes: z.boolean() });
export const script = z.object({
  ...{ ok, replies: z.array(z.looseObject({})), test: z.string(), gaps: z.array(z.string()) },
});
export const progress = z.union([
  z.object({ done: z.int(), of: z.int() }),
  z.looseObject({ problems: z.array(z.looseObject({})).optional() }),
]);

const agent = z.looseObject({
  id: z.string(),
  tools: z.array(z.looseObject({ id: z.string() })),
});
export const bundles = z.object({
  ok,
  items: z.array(z.looseObject({ id: z.string(), agents: z.array(agent) })),
});
export const findings = z.object({
  ok,
  items: z.array(
    z.object({
      ...{ level: z.enum(['error', 'warning']), what: z.string(), says: z.string() },
      ...{ places: z.array(z.string()), fix: z.string().optional() },
    }),
  ),
});
const evalCase = z.looseObject({ name: z.string(), input: z.array(z.string()) });
export const evalReport = z.looseObject({
  folder: z.string(),
  cases: z.array(evalCase),
  omitted: z.int(),
});
