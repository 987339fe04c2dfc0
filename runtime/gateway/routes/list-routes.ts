import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Refusal } from '../../base/refusal.ts';
import { conversationKeySchema } from '../../timeline/ids.ts';
import type { ListedConversation, ListPosition } from '../../timeline/ports/store.ts';
import { findConversation } from '../auth/find-conversation.ts';
import type { Env, HttpParts } from '../http/context.ts';
import { jsonOf, parseInput } from '../input/parse-input.ts';
import { queryOf } from '../input/parse-query.ts';
import { titleCharsMax } from '../intake/limits.ts';
import { originOf } from './fork-routes.ts';
import { conversationsMax } from './limits.ts';

const listLimits = `must be between 1 and ${conversationsMax}`;
export const listQuery = z.object({
  limit: z
    .int(listLimits)
    .min(1, listLimits)
    .max(conversationsMax, listLimits)
    .default(conversationsMax),
  /** Part of a title in any case, an id, or beginnings of words in one message, answer or file. */
  q: z.string().trim().min(1).max(titleCharsMax).optional(),
  state: z.enum(['working', 'waiting', 'idle']).optional(),
  cursor: z.string().max(300).optional(),
});

export const changeRequest = z
  .strictObject({
    title: z.string().trim().min(1).max(titleCharsMax).exactOptional(),
    pinned: z.boolean().exactOptional(),
  })
  .refine(
    ({ title, pinned }) => title !== undefined || pinned !== undefined,
    'title or pinned is required',
  );

/** The list of a user's conversations, and what the user changes in it. */
export function addListRoutes(app: Hono<Env>, parts: HttpParts): void {
  app.get('/conversations/:tenant/:project', (context) => getConversations(context, parts));
  app.patch('/conversations/:tenant/:project/:conversation', (context) =>
    patchConversation(context, parts),
  );
}

async function getConversations(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const { limit, q, state, cursor } = queryOf(context, listQuery);
  const rows = await deps.store.list(context.get('sender'), {
    ...{ limit: limit + 1, pinnedFirst: true, signal },
    ...(q !== undefined && { text: q }),
    ...(state === 'waiting' && { isWaiting: true }),
    ...(state === 'idle' && { isWorking: false }),
    ...(state === 'working' && { isWorking: true, isWaiting: false }),
    ...(cursor !== undefined && { after: fromCursor(cursor) }),
  });
  const items = rows.slice(0, limit).map(toItem);
  const last = rows[limit - 1];
  const hasMore = rows.length > limit && last !== undefined;
  return context.json({ ok: true, items, ...(hasMore && { next_cursor: toCursor(last) }) });
}

function toItem(row: ListedConversation): object {
  return {
    id: row.id,
    title: row.title ?? '',
    created_at: row.createdAt,
    last_activity_at: row.lastAt,
    head: row.head,
    pinned: row.pinned,
    ...originOf(row),
    ...(row.openTurn !== undefined && { active_turn_id: row.openTurn }),
    ...(row.waits && { waits: true }),
  };
}

const position = z.tuple([z.boolean(), z.iso.datetime(), conversationKeySchema]);

function toCursor({ pinned, lastAt, key }: ListPosition): string {
  return Buffer.from(JSON.stringify([pinned, lastAt, key])).toString('base64url');
}

/** Refusal `invalid_input`. */
function fromCursor(cursor: string): ListPosition {
  try {
    const [pinned, lastAt, key] = position.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    );
    return { pinned, lastAt, key };
  } catch {
    throw new Refusal('invalid_input', 'cursor: must be the next_cursor of a page');
  }
}

async function patchConversation(
  context: Context<Env>,
  { deps, closing: signal }: HttpParts,
): Promise<Response> {
  const { title, pinned } = parseInput(changeRequest, await jsonOf(context));
  const conversation = context.req.param('conversation') ?? '';
  const row = await findConversation(deps.store, context.get('sender'), { conversation, signal });
  if (title !== undefined) await deps.store.setTitle(row.key, title, { signal });
  if (pinned !== undefined) await deps.store.setPinned(row.key, pinned, { signal });
  deps.bus.touch(row);
  return context.json({
    ok: true,
    conversation_id: row.id,
    title: title ?? row.title ?? '',
    pinned: pinned ?? row.pinned,
  });
}
