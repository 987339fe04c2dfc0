import { z } from 'zod';
import { reactions } from '../../timeline/feedback.ts';
import type { FeedbackEntry } from '../feed/feedback.ts';
import {
  feedbackRequest,
  periodRequest,
  satisfactionRequest,
  turnsRequest,
} from '../routes/feedback-routes.ts';
import { schemaNames } from './api-schema.ts';
import { json, type RouteDescriptions } from './route-description.ts';

const reaction = z.enum(reactions).nullable();
const word = z.object({
  rn: z.string(),
  turn_id: z.string(),
  ts: z.iso.datetime(),
  reaction,
  text: z.string(),
  origin: z.enum(['user', 'machine']),
  confidence: z.number(),
  said_at: z.string().exactOptional(),
}) satisfies z.ZodType<FeedbackEntry>;
const kept = z.object({
  ok: z.literal(true),
  success: z.literal(true),
  status: z.enum(['queued', 'duplicate']),
  turn_id: z.string(),
  reaction,
  cleared: z.boolean(),
  event_id: z.string(),
  seq: z.int(),
  message: z.string(),
});
const snippet = z.object({ text: z.string(), ts: z.string(), path: z.string() }).nullable();
const turn = z.object({
  turn_id: z.string(),
  turn_log: z.object({
    turn_id: z.string(),
    ts: z.string(),
    feedback: z.object({
      count: z.int(),
      last_ts: z.string().optional(),
      last_reaction: z.enum(reactions).optional(),
      last_origin: z.string().optional(),
      last_text: z.string().optional(),
    }),
  }),
  user: snippet,
  assistant: snippet,
  feedbacks: z.array(word),
  reactions: z.array(word),
});
const turns = z.object({
  ok: z.literal(true),
  user_id: z.string(),
  conversation_id: z.string(),
  total: z.int(),
  turns: z.array(turn),
});
const count = z.int().min(0);
const counts = { total: count, user: count, machine: count, ok: count, not_ok: count };
const item = z.object({
  conversation_id: z.string(),
  started_at: z.string(),
  last_activity_at: z.string(),
  feedback_counts: z.object({ ...counts, neutral: count }),
  turns: z
    .array(z.object({ turn_id: z.string(), ts: z.string(), feedbacks: z.array(word) }))
    .optional(),
});
const inPeriod = z.object({
  ok: z.literal(true),
  tenant: z.string(),
  project: z.string(),
  window: z.object({ start: z.string(), end: z.string() }),
  items: z.array(item),
  next_cursor: z.string().nullable(),
});

const ratings = z.object({
  ...{ ok: count, not_ok: count, neutral: count },
  rate: z.number().min(0).max(1).nullable(),
});
const satisfaction = z.object({
  ok: z.literal(true),
  tenant: z.string(),
  project: z.string(),
  window: z.object({ start: z.string(), end: z.string() }),
  agents: z.array(z.object({ agent: z.string(), user: ratings, machine: ratings })),
});

schemaNames.add(word, { id: 'Feedback' });

const at = '/conversations/:tenant/:project';

/** Feedback on answers. */
export const feedbackDescriptions: RouteDescriptions = {
  [`POST ${at}/:conversation/turns/:turn/feedback`]: {
    id: 'giveFeedback',
    tag: 'feedback',
    summary: "Sets the user's feedback on a turn; `reaction` null takes it back.",
    body: json(feedbackRequest),
    needsBody: true,
    responses: { 200: { description: 'It is stored.', content: json(kept) } },
    refusals: ['not_found', 'conflict', 'busy'],
  },
  [`POST ${at}/:conversation/turns-with-feedbacks`]: {
    id: 'listTurnsWithFeedback',
    tag: 'feedback',
    summary: 'Lists the turns of a conversation that have feedback.',
    body: json(turnsRequest),
    responses: { 200: { description: 'The newest turns.', content: json(turns) } },
    refusals: ['not_found'],
  },
  [`POST ${at}/feedback/conversations-in-period`]: {
    id: 'listConversationsWithFeedback',
    tag: 'feedback',
    summary:
      "Lists the user's conversations with feedback from `start` (inclusive) to `end` (exclusive).",
    body: json(periodRequest),
    needsBody: true,
    responses: { 200: { description: 'One page, newest first.', content: json(inPeriod) } },
    refusals: ['cursor_invalid'],
  },
  [`POST ${at}/feedback/satisfaction`]: {
    id: 'getSatisfaction',
    tag: 'feedback',
    summary:
      'How satisfied the users of the project are with each agent, from `start` (inclusive) to `end` (exclusive); for operators.',
    description: '`rate` is ok / (ok + not_ok + neutral). Checks of bundles are counted beside it.',
    body: json(satisfactionRequest),
    needsBody: true,
    responses: { 200: { description: 'One row for each agent.', content: json(satisfaction) } },
    refusals: ['forbidden'],
  },
};
