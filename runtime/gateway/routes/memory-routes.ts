import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import type { Fact, LongTermMemory } from '../../tools/ports/long-term-memory.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { parseInput } from '../input/parse-input.ts';

export const forgetQuery = z.object({
  /** Only the facts that come from this conversation. */
  conversation_id: z.string().min(1).max(200).optional(),
});

/** The facts that the conversations of a user have left in the long-term memory: users see and remove their own. */
export function addMemoryRoutes(app: Hono<Env>, parts: HttpParts): void {
  const { deps, closing: signal } = parts;
  app.get('/api/me/memory', async (context) => {
    const facts = await memoryOf(parts).list(context.get('sender'), { signal });
    return context.json({ ok: true, facts: facts.map(toWire) });
  });
  app.delete('/api/me/memory/:fact', async (context) => {
    const id = context.req.param('fact');
    return forget(context, { id });
  });
  app.delete('/api/me/memory', async (context) => {
    const { conversation_id } = parseInput(forgetQuery, context.req.query());
    return forget(
      context,
      conversation_id === undefined ? { all: true } : { conversation: conversation_id },
    );
  });

  async function forget(
    context: Context<Env>,
    what: Parameters<LongTermMemory['forget']>[1],
  ): Promise<Response> {
    const sender = context.get('sender');
    const forgotten = await memoryOf(parts).forget(sender, what, { signal });
    if (forgotten === 0 && 'id' in what) throw new Refusal('not_found', 'fact not found');
    deps.log.info('facts were forgotten', { user: sender.user, facts: forgotten });
    return context.json({ ok: true, forgotten });
  }
}

function memoryOf({ deps }: HttpParts): LongTermMemory {
  if (deps.memory) return deps.memory;
  throw new Refusal('not_found', 'this installation has no long-term memory');
}

function toWire({ conversation: conversation_id, ...fact }: Fact) {
  return { ...fact, conversation_id };
}
