import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { Refusal } from '../../base/refusal.ts';
import { conversationKeySchema } from '../../timeline/ids.ts';
import { conversationStates, usageGroups } from '../../timeline/ports/overview.ts';
import type { ConversationRow } from '../../timeline/ports/store.ts';
import { withoutUndefined } from '../feed/wire-json.ts';
import type { Env } from '../http/context.ts';
import { moment } from '../input/moment.ts';
import { queryOf } from '../input/parse-query.ts';
import { coverage, whose } from './access.ts';
import { type Inspection, projectPath } from './inspection.ts';
import { conversationsPageMax, usageRowsMax } from './log/limits.ts';
import { toWireUsage, withFacts } from './wire/wire-rows.ts';

const limits = `must be between 1 and ${conversationsPageMax}`;
export const inspectedListQuery = z.object({
  ...whose,
  /** A part of a title or of a user's name, in any case, an id, or beginnings of words in one message, answer or file. */
  q: z.string().trim().min(1).max(300).optional(),
  state: z.enum(conversationStates).optional(),
  /** `<bundle>/<agent>` of the last turn. */
  agent: z
    .string()
    .max(400)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
    .optional(),
  /** The last activity. */
  from: moment.optional(),
  to: moment.optional(),
  /** US dollars, at least. */
  cost: z.number().min(0).optional(),
  cursor: z.string().max(300).optional(),
  limit: z
    .int(limits)
    .min(1, limits)
    .max(conversationsPageMax, limits)
    .default(conversationsPageMax),
});
export const usageQuery = z.object({
  ...whose,
  from: moment.optional(),
  to: moment.optional(),
  by: z.enum(usageGroups).default('day'),
});

/** Days that usage covers without `from`. */
const usageDays = 30;
const dayMs = 86_400_000;

export function addProjectRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/conversations`, (context) => getConversations(context, inspection));
  app.get(`${projectPath}/usage`, (context) => getUsage(context, inspection));
}

async function getConversations(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, limit, cursor, q, cost, ...rest } = queryOf(context, inspectedListQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const owner = coverage(context, inspection.parts, user);
  const named = { text: q, costUsd: cost, ...rest };
  const rows = await deps.store.overview.conversations(owner, {
    ...{ limit: limit + 1, filter: withoutUndefined(named), signal },
    ...(cursor !== undefined && { before: fromCursor(cursor) }),
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const items = await withFacts(page, deps.store.overview, { signal, ...(q && { searched: q }) });
  return context.json({ ok: true, items, ...(last && { next_cursor: toCursor(last) }) });
}

const position = z.tuple([z.iso.datetime(), conversationKeySchema]);

function toCursor({ lastAt, key }: ConversationRow): string {
  return Buffer.from(JSON.stringify([lastAt, key])).toString('base64url');
}

/** Refusal `invalid_input`. */
function fromCursor(cursor: string): Pick<ConversationRow, 'lastAt' | 'key'> {
  const read = position.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success)
    throw new Refusal('invalid_input', 'cursor: must be the next_cursor of a page');
  const [lastAt, key] = read.data;
  return { lastAt, key };
}

async function getUsage(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, by, ...range } = queryOf(context, usageQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const now = deps.clock.now();
  const { from = new Date(now - usageDays * dayMs).toISOString() } = range;
  const { to = new Date(now + dayMs).toISOString() } = range;
  const owner = coverage(context, inspection.parts, user);
  const query = { from, to, by, limit: usageRowsMax };
  const rows = await deps.store.overview.usage(owner, query, { signal });
  return context.json({ ok: true, from, to, by, items: rows.map(toWireUsage) });
}
