import type { Context, Hono } from 'hono';
import { conversationRequest, userName } from '../../client/protocol/request-schemas.ts';
import { eraseConversation } from '../../engine/maintenance/erase-conversation.ts';
import { eraseUser } from '../../engine/maintenance/erase-user.ts';
import type { Sender } from '../../timeline/ports/store.ts';
import { conversationNotFound } from '../auth/find-conversation.ts';
import { requireOperator } from '../auth/operators.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { parseInput } from '../input/parse-input.ts';
import { addMemoryRoutes } from './memory-routes.ts';

/**
 * Erases a conversation: readers cannot reach it once this is answered, and its data is removed soon after. Repeating
 * the request gives the same answer. What conversations have left in the memory is erased likewise. Users erase everything that
 * they have, and operators erase that of any user.
 */
export function addEraseRoutes(app: Hono<Env>, parts: HttpParts): void {
  addMemoryRoutes(app, parts);
  app.delete('/conversations/:tenant/:project/:conversation', (context) =>
    deleteConversation(context, parts),
  );
  app.delete('/api/me', (context) => deleteUser(context, parts, context.get('sender')));
  app.delete('/api/users/:tenant/:project/:user', (context) => {
    requireOperator(parts.deps.auth, context.get('roles'));
    const { tenant, project } = context.get('sender');
    const user = parseInput(userName, context.req.param('user'));
    return deleteUser(context, parts, { tenant, project, user });
  });
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

/** 202: what is left is removed soon. Nothing that a user has is hidden in between, except the erased conversations. */
async function deleteUser(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  user: Sender,
): Promise<Response> {
  const status = await eraseUser(deps, user, { signal });
  deps.log.info('a user was erased', { ...user, by: context.get('sender').user, status });
  return context.json({ ok: true, status }, status === 'erased' ? 200 : 202);
}
