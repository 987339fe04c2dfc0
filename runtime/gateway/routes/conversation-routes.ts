import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { toSeq } from '../../timeline/ids.ts';
import { findConversation } from '../auth/find-conversation.ts';
import { toPublicBlocks } from '../feed/public-blocks.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { sendFile } from '../http/send-file.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { addEraseRoutes } from './erase-routes.ts';
import { addFeedbackRoutes } from './feedback-routes.ts';
import { addForkRoutes } from './fork-routes.ts';
import { fetchBlocksMax } from './limits.ts';
import { addListRoutes } from './list-routes.ts';

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

/** Routes for the owner of conversations: list, title, pin, blocks, files, feedback, forks, erasure, and what they left in the memory. */
export function addConversationRoutes(app: Hono<Env>, parts: HttpParts): void {
  addEraseRoutes(app, parts);
  addForkRoutes(app, parts);
  addFeedbackRoutes(app, parts);
  addListRoutes(app, parts);
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

async function postFetch(context: Context<Env>, { deps, closing }: HttpParts): Promise<Response> {
  const { after, limit } = parseInput(fetchRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const row = await findConversation(deps.store, context.get('sender'), {
    conversation,
    signal: closing,
  });
  const page = await deps.store.read(row.key, { after: toSeq(after), limit, signal: closing });
  const blocks = toPublicBlocks(page, row);
  return context.json({ ok: true, head: row.head, next: page.at(-1)?.seq ?? after, blocks });
}
