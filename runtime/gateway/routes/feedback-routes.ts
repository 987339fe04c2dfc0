import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { messageId } from '../../client/protocol/request-schemas.ts';
import { reactions } from '../../timeline/feedback.ts';
import { toTurnId } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { requireOperator } from '../auth/operators.ts';
import {
  countEntries,
  currentEntries,
  groupByTurn,
  toEntries,
  toFeedbackTurn,
  toSatisfaction,
} from '../feed/feedback.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { RateLimit } from '../input/rate-limit.ts';
import { acceptFeedback, feedbackText } from '../intake/accept-feedback.ts';
import {
  feedbackConversationsMax,
  feedbackDaysMax,
  feedbackPerMinuteMax,
  feedbackTurnsMax,
} from './limits.ts';

export const feedbackRequest = z.object({
  reaction: z.enum(reactions).nullable(),
  text: feedbackText.nullish(),
  /** When the user gave the feedback, if not now. */
  ts: z.iso.datetime({ offset: true }).nullish(),
  message_id: messageId.optional(),
  /** Feedback over HTTP always has the origin `user`. */
  origin: z.literal('user', 'must be "user" for feedback from a client').optional(),
});
export const turnsRequest = z.object({
  turn_ids: z.array(z.string().max(200)).max(feedbackTurnsMax).nullish(),
  days: z.int().min(1).max(feedbackDaysMax).default(365),
});
const moment = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.date()],
    'must be an ISO 8601 time with an offset',
  )
  .transform((text) => new Date(text).toISOString());
export const periodRequest = z
  .object({
    start: moment,
    end: moment,
    include_turns: z.boolean().default(false),
    limit: z.int().min(1).max(feedbackConversationsMax).default(100),
    cursor: z.string().max(200).nullish(),
  })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'must be after start' });
export const satisfactionRequest = z
  .object({ start: moment, end: moment })
  .refine(({ start, end }) => start < end, { path: ['end'], error: 'must be after start' });
const dayMs = 86_400_000;

/** Feedback on answers: give it, change it, take it back, list one's own. */
export function addFeedbackRoutes(app: Hono<Env>, parts: HttpParts): void {
  const rate = new RateLimit(
    parts.deps.clock,
    { perMinute: feedbackPerMinuteMax },
    'feedback messages',
  );
  const at = '/conversations/:tenant/:project';
  app.post(`${at}/:conversation/turns/:turn/feedback`, (context) => {
    const { tenant, project, user } = context.get('sender');
    rate.consume(JSON.stringify([tenant, project, user]));
    return postFeedback(context, parts);
  });
  app.post(`${at}/:conversation/turns-with-feedbacks`, (context) => postTurns(context, parts));
  app.post(`${at}/feedback/conversations-in-period`, (context) => postPeriod(context, parts));
  app.post(`${at}/feedback/satisfaction`, (context) => postSatisfaction(context, parts));
}

async function postFeedback(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const { reaction, text, ts, message_id } = parseInput(feedbackRequest, await jsonOf(context));
  const row = await findRow(context, parts);
  const turn = toTurnId(context.req.param('turn') ?? '');
  const message = message_id ?? deps.ids.next('msg');
  const entry = {
    ...{ turn, reaction, text: text ?? '', messageId: message },
    ...({ origin: 'user', confidence: 1 } as const),
    ...(typeof ts === 'string' && { saidAt: ts }),
  };
  const { status, seq } = await acceptFeedback(row, entry, { ...deps, signal });
  const cleared = reaction === null;
  return context.json({
    ...{ ok: true, success: true, status, turn_id: turn, reaction, cleared },
    ...{ event_id: message, seq, message: cleared ? 'feedback removed' : 'feedback saved' },
  });
}

async function postTurns(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const { turn_ids, days } = parseInput(turnsRequest, await jsonOf(context));
  const row = await findRow(context, parts);
  const sender = context.get('sender');
  const from = new Date(deps.clock.now() - days * dayMs).toISOString();
  const query = { conversation: row.id, from, limit: 1 };
  const [found] = await deps.store.feedback(sender, query, { signal });
  const entries = toEntries(found?.blocks ?? []);
  const byTurn = groupByTurn(entries);
  const all = [...groupByTurn(currentEntries(entries)).keys()];
  const wanted = all.filter((turn) => turn_ids?.includes(turn) ?? true);
  const only = wanted.slice(-feedbackTurnsMax).map(toTurnId);
  const turns = await deps.store.turns(
    sender,
    {
      ...{ conversation: row.id, only, targets: ['user', 'assistant'] },
      ...{ order: 'asc', offset: 0, limit: feedbackTurnsMax },
    },
    { signal },
  );
  return context.json({
    ...{ ok: true, user_id: sender.user, conversation_id: row.id, total: wanted.length },
    turns: turns.rows.map((turn) => toFeedbackTurn(turn, byTurn.get(turn.turn) ?? [])),
  });
}

async function postPeriod(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  const request = parseInput(periodRequest, await jsonOf(context));
  const { start, end, limit, include_turns } = request;
  const sender = context.get('sender');
  const before = await cursorKey(context, parts, request.cursor ?? undefined);
  const query = { from: start, to: end, limit, ...(before !== undefined && { before }) };
  const found = await deps.store.feedback(sender, query, { signal });
  const items = found.flatMap(({ row, blocks }) => {
    const entries = currentEntries(toEntries(blocks));
    const turns = [...groupByTurn(entries)].map(([turn_id, feedbacks]) => ({
      turn_id,
      ts: feedbacks.at(-1)?.ts,
      feedbacks,
    }));
    const place = { started_at: row.createdAt, last_activity_at: row.lastAt };
    const item = { conversation_id: row.id, ...place, feedback_counts: countEntries(entries) };
    return entries.length === 0 ? [] : [include_turns ? { ...item, turns } : item];
  });
  const { tenant, project } = sender;
  const next_cursor = found.length < limit ? null : (found.at(-1)?.row.id ?? null);
  return context.json({ ok: true, tenant, project, window: { start, end }, items, next_cursor });
}

/** For operators: over all users of the project. */
async function postSatisfaction(context: Context<Env>, parts: HttpParts): Promise<Response> {
  const { deps, closing: signal } = parts;
  requireOperator(deps.auth, context.get('roles'));
  const { start, end } = parseInput(satisfactionRequest, await jsonOf(context));
  const { tenant, project } = context.get('sender');
  const period = { from: start, to: end, signal };
  const rows = await deps.store.overview.ratings({ tenant, project }, period);
  const window = { start, end };
  return context.json({ ok: true, tenant, project, window, agents: toSatisfaction(rows) });
}

/** A page continues after the last conversation of the page before it. */
async function cursorKey(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  cursor: string | undefined,
): Promise<ConversationRow['key'] | undefined> {
  if (cursor === undefined) return undefined;
  const row = await deps.store.find(context.get('sender'), cursor, { signal });
  if (row) return row.key;
  throw new Refusal(
    'cursor_invalid',
    'cursor does not belong to this list; retry without a cursor',
  );
}

async function findRow(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<ConversationRow> {
  const conversation = context.req.param('conversation') ?? '';
  return await findConversation(deps.store, context.get('sender'), { conversation, signal });
}
