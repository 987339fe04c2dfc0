import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Block } from '../../timeline/block.ts';
import { toSeq } from '../../timeline/ids.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { isPublic } from '../feed/block-envelopes.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { sendFile } from '../http/send-file.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { titleCharsMax } from '../intake/limits.ts';
import { addEraseRoutes } from './erase-routes.ts';
import { addFeedbackRoutes } from './feedback-routes.ts';
import { addForkRoutes, originOf } from './fork-routes.ts';
import { conversationsMax, fetchBlocksMax } from './limits.ts';

const listLimits = `must be between 1 and ${conversationsMax}`;
export const listQuery = z.object({
  limit: z
    .int(listLimits)
    .min(1, listLimits)
    .max(conversationsMax, listLimits)
    .default(conversationsMax),
});
export const fileQuery = z.object({
  path: z.string('must be a fi: path'),
  conversation: z.string().optional(),
});
export const fetchRequest = z.object({
  after: z.int().min(0).default(0),
  limit: z.int().min(1).max(fetchBlocksMax).default(fetchBlocksMax),
});
export const byNameRequest = z.object({
  rn: z.string().max(2_000),
  conversation_id: z.string().max(200).optional(),
});

export const renameRequest = z.strictObject({ title: z.string().trim().min(1).max(titleCharsMax) });

/** Routes for the owner of conversations: list, title, blocks, files, feedback, forks, erasure, and what they left in the memory. */
export function addConversationRoutes(app: Hono<Env>, parts: HttpParts): void {
  addEraseRoutes(app, parts);
  addForkRoutes(app, parts);
  addFeedbackRoutes(app, parts);
  app.get('/conversations/:tenant/:project', (context) => getConversations(context, parts));
  app.patch('/conversations/:tenant/:project/:conversation', (context) =>
    patchConversation(context, parts),
  );
  app.post('/conversations/:tenant/:project/:conversation/fetch', (context) =>
    postFetch(context, parts),
  );
  app.get('/api/files', (context) => {
    const { path, conversation } = queryOf(context, fileQuery);
    return sendFile(context, parts, { path, conversation });
  });
  app.post('/by-rn', async (context) => {
    const { rn: path, conversation_id: conversation } = parseInput(
      byNameRequest,
      await jsonOf(context),
    );
    return sendFile(context, parts, { path, conversation });
  });
}

async function getConversations(
  context: Context<Env>,
  { deps, closing }: HttpParts,
): Promise<Response> {
  const { limit } = queryOf(context, listQuery);
  const rows = await deps.store.list(context.get('sender'), { limit, signal: closing });
  const items = rows.map((row) => ({
    id: row.id,
    title: row.title ?? '',
    created_at: row.createdAt,
    last_activity_at: row.lastAt,
    head: row.head,
    ...originOf(row),
    ...(row.openTurn !== undefined && { active_turn_id: row.openTurn }),
  }));
  return context.json({ ok: true, items });
}

async function patchConversation(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const { title } = parseInput(renameRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const row = await findConversation(deps.store, context.get('sender'), { conversation, signal });
  await deps.store.setTitle(row.key, title, { signal });
  return context.json({ ok: true, conversation_id: row.id, title });
}

async function postFetch(context: Context<Env>, { deps, closing }: HttpParts): Promise<Response> {
  const { after, limit } = parseInput(fetchRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const row = await findConversation(deps.store, context.get('sender'), {
    conversation,
    signal: closing,
  });
  const page = await deps.store.read(row.key, { after: toSeq(after), limit, signal: closing });
  const blocks = page.filter(isPublic).map(toPublicBlock);
  return context.json({ ok: true, head: row.head, next: page.at(-1)?.seq ?? after, blocks });
}

/** The block without the hash of its bytes. */
function toPublicBlock({ blob, conversation: _, ...block }: Block): object {
  return blob === undefined ? block : { ...block, size: blob.size };
}
