import type { Context } from 'hono';
import type { Env, HttpParts } from '../../http/context.ts';

/** `POST /v1/conversations`: an id. Its first message creates the conversation. */
export function postConversation(context: Context<Env>, { deps }: HttpParts): Response {
  const created_at = Math.floor(deps.clock.now() / 1_000);
  const id = deps.ids.next('conv');
  return context.json({ id, object: 'conversation', created_at, metadata: {} });
}
