/// <reference lib="dom" />
import { pageFacts } from '../../../../client/widgets/page-facts.ts';

/**
 * Whether the user has this conversation on the server. The client library does not say, because the first message to an id
 * creates the conversation.
 */
export async function conversationExists(
  conversation: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { tenant, project } = pageFacts();
  const path = `/conversations/${tenant}/${project}/${encodeURIComponent(conversation)}/fetch`;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ after: 0, limit: 1 });
  const { status } = await fetch(path, { method: 'POST', headers, body, signal });
  return status !== 404 && status !== 400;
}
