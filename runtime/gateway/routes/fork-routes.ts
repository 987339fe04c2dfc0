import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { toSeq } from '../../timeline/ids.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { conversationNotFound, findConversation } from '../auth/find-conversation.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { RateLimit } from '../input/rate-limit.ts';
import { forksPerMinuteMax } from './limits.ts';

export const forkRequest = z.object({ at: z.int().min(1).optional() });

/** Forks one of the sender's conversations at any block, by default the latest. */
export function addForkRoutes(app: Hono<Env>, parts: HttpParts): void {
  const rate = new RateLimit(parts.deps.clock, { perMinute: forksPerMinuteMax }, 'forks');
  app.post('/conversations/:tenant/:project/:conversation/fork', (context) => {
    const { tenant, project, user } = context.get('sender');
    rate.consume(JSON.stringify([tenant, project, user]));
    return postFork(context, parts);
  });
}

async function postFork(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const sender = context.get('sender');
  const request = parseInput(forkRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const { head } = await findConversation(deps.store, sender, { conversation, signal });
  const { at = head } = request;
  const newConversation = deps.ids.next('conv');
  const fork = await deps.store.fork(
    sender,
    { conversation, at: toSeq(at), newConversation },
    { signal },
  );
  if (fork.status === 'beyond')
    throw new Refusal('invalid_input', `at: must be between 1 and ${head}`);
  if (fork.status !== 'forked') throw conversationNotFound(conversation);
  const { row } = fork;
  // The first worker that owns the fork closes its open turn; there is nothing else to do.
  if (row.openTurn !== undefined) deps.bus.wake(row.key);
  deps.bus.touch(sender);
  return context.json({ ok: true, conversation_id: row.id, head: row.head, ...originOf(row) });
}

/** The conversation and block that a fork continues from, for clients. */
export function originOf({ forkedFrom }: ConversationRow): object {
  if (!forkedFrom) return {};
  const { conversation, seq } = forkedFrom;
  return { forked_from: { conversation_id: conversation, seq } };
}
