import type { Context, Hono } from 'hono';
import { conversationRequest } from '../../client/protocol/request-schemas.ts';
import { eraseConversation } from '../../engine/maintenance/erase-conversation.ts';
import { conversationNotFound } from '../auth/find-conversation.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { addMemoryRoutes } from './memory-routes.ts';

/**
 * Erases a conversation: readers cannot reach it once this is answered, and its data is removed soon after. Repeating
 * the request gives the same answer. What conversations have left in the memory is erased likewise.
 */
export function addEraseRoutes(app: Hono<Env>, parts: HttpParts): void {
  addMemoryRoutes(app, parts);
  app.delete('/conversations/:tenant/:project/:conversation', (context) =>
    deleteConversation(context, parts),
  );
}

async function deleteConversation(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const id = context.req.param('conversation') ?? '';
  if (!conversationRequest.safeParse({ conversation_id: id }).success)
    throw conversationNotFound(id);
  const which = { owner: context.get('sender'), conversation: id };
  const { status } = await eraseConversation(deps, which, { signal });
  if (status === 'gone') throw conversationNotFound(id);
  return context.json({ ok: true, status, conversation_id: id });
}
