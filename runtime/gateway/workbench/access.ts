import type { Context } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { userName } from '../../client/protocol/request-schemas.ts';
import type { ConversationRow, OwnerFilter } from '../../timeline/ports/store.ts';
import { conversationNotFound, findConversation } from '../auth/find-conversation.ts';
import type { Env, HttpParts } from '../http/context.ts';

/** The role that may inspect the conversations of others. With dev authentication everyone has it. */
export const inspectorRole = 'inspector';

/** Selects among conversations with the same id, or the conversations of one user. */
export const whose = { user: userName.optional() };

export const whoseQuery = z.object(whose);

export function isInspector(context: Context<Env>, { deps }: Pick<HttpParts, 'deps'>): boolean {
  return deps.auth.mode === 'dev' || context.get('roles').includes(inspectorRole);
}

/** Refusal `forbidden`. */
export function assertInspector(context: Context<Env>, parts: Pick<HttpParts, 'deps'>): void {
  if (!isInspector(context, parts))
    throw new Refusal('forbidden', `requires the role ${inspectorRole}`);
}

/** Refusal `forbidden`: only its user may continue a conversation; with dev authentication everyone acts as that user. */
export function assertOwner(
  context: Context<Env>,
  { deps }: Pick<HttpParts, 'deps'>,
  { user }: Pick<ConversationRow, 'user'>,
): void {
  if (deps.auth.mode !== 'dev' && context.get('sender').user !== user)
    throw new Refusal('forbidden', 'only the user of a conversation may run its turns again');
}

/** Whose conversations a reading covers: those of the sender, or for inspectors those of `user` or of everybody. */
export function coverage(
  context: Context<Env>,
  parts: Pick<HttpParts, 'deps'>,
  user: string | undefined,
): OwnerFilter {
  const sender = context.get('sender');
  const { tenant, project } = sender;
  if (isInspector(context, parts)) return { tenant, project, ...(user !== undefined && { user }) };
  if (user !== undefined && user !== sender.user) assertInspector(context, parts);
  return { tenant, project, user: sender.user };
}

/**
 * The conversation in the path: one of the sender's own, or for inspectors also one of `user` or of anyone. Refusal
 * `not_found`: the answer is the same for a conversation of another user and for one that does not exist.
 */
export async function findInspected(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
  user: string | undefined,
): Promise<ConversationRow> {
  const conversation = context.req.param('conversation') ?? '';
  const sender = context.get('sender');
  if (!isInspector(context, { deps })) {
    if (user !== undefined && user !== sender.user) throw conversationNotFound(conversation);
    return await findConversation(deps.store, sender, { conversation, signal });
  }
  const { tenant, project } = sender;
  const own = user ?? sender.user;
  const row =
    (await deps.store.find({ tenant, project, user: own }, conversation, { signal })) ??
    (user === undefined
      ? await deps.store.find({ tenant, project }, conversation, { signal })
      : undefined);
  if (!row) throw conversationNotFound(conversation);
  return row;
}
