import type { Context, Hono } from 'hono';
import { conversationRequest } from '../../client/protocol/request-schemas.ts';
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
  { deps: { store, bus, memory, log }, closing: signal }: HttpParts,
): Promise<Response> {
  const id = context.req.param('conversation') ?? '';
  if (!conversationRequest.safeParse({ conversation_id: id }).success)
    throw conversationNotFound(id);
  const erased = await store.erase(context.get('sender'), id, { signal });
  if (erased.status === 'gone') throw conversationNotFound(id);
  bus.publish(erased.key, [{ kind: 'erased' }]);
  bus.touch(context.get('sender'));
  // Workers forget its facts as well, in case this fails.
  await memory
    ?.forget(context.get('sender'), { conversation: id }, { signal })
    .catch((error: unknown) => log.warn('facts could not be forgotten yet', { error }));
  return context.json({ ok: true, status: 'erased', conversation_id: id });
}
