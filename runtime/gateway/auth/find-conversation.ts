import { isGeneratedId } from '../../base/ids.ts';
import { Refusal } from '../../base/refusal.ts';
import { conversationRequest } from '../../client/protocol/request-schemas.ts';
import type { ConversationRow, Sender, TimelineStore } from '../../timeline/ports/store.ts';

/** Refusal `not_found`: the answer is the same for a conversation of another user and for one that does not exist. */
export async function findConversation(
  store: TimelineStore,
  sender: Sender,
  { conversation, signal }: { conversation: string; signal: AbortSignal },
): Promise<ConversationRow> {
  const named = conversationRequest.safeParse({ conversation_id: conversation });
  const row = named.success ? await store.find(sender, conversation, { signal }) : undefined;
  if (!row) throw conversationNotFound(conversation);
  return row;
}

/**
 * The conversation that a message is for; undefined: a new one. An id that the server generated cannot be guessed, so
 * its user passed it on: a conversation of the sender's own under that id would mislead. Refusal `not_found`.
 */
export async function findConversationForMessage(
  store: TimelineStore,
  sender: Sender,
  { conversation, signal }: { conversation: string | undefined; signal: AbortSignal },
): Promise<ConversationRow | undefined> {
  if (conversation === undefined) return undefined;
  const own = await store.find(sender, conversation, { signal });
  if (own || !isGeneratedId(conversation)) return own;
  const { tenant, project } = sender;
  if (await store.find({ tenant, project }, conversation, { signal }))
    throw conversationNotFound(conversation);
  return undefined;
}

export function conversationNotFound(conversation: string): Refusal {
  return new Refusal('not_found', `conversation ${conversation} not found`);
}
