import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { reactions } from '../../timeline/feedback.ts';
import { toTurnId } from '../../timeline/ids.ts';
import type { ConversationFeedback, TimelineStore } from '../../timeline/ports/store.ts';
import { currentEntries, toEntries } from '../feed/feedback.ts';
import type { Env } from '../http/context.ts';
import { moment } from '../input/moment.ts';
import { queryOf } from '../input/parse-query.ts';
import { coverage, whose } from './access.ts';
import { periodOf } from './health-routes.ts';
import { type Inspection, projectPath } from './inspection.ts';
import { ratedConversationsMax, ratingCharsMax } from './log/limits.ts';

export const ratingsQuery = z.object({
  ...whose,
  from: moment.optional(),
  to: moment.optional(),
  reaction: z.enum(reactions).optional(),
});

const lastMs = 30 * 86_400_000;

/** Turns with feedback of users or checks: where to look, and what to keep as a test. */
export function addRatingRoutes(app: Hono<Env>, inspection: Inspection): void {
  app.get(`${projectPath}/ratings`, (context) => getRatings(context, inspection));
}

/** By default of the last 30 days. */
async function getRatings(context: Context<Env>, inspection: Inspection): Promise<Response> {
  const { user, reaction, ...range } = queryOf(context, ratingsQuery);
  inspection.admit(context);
  const { deps, closing: signal } = inspection.parts;
  const owner = coverage(context, inspection.parts, user);
  const period = periodOf(range, { now: deps.clock.now(), lastMs });
  const query = { ...period, limit: ratedConversationsMax + 1 };
  const found = await deps.store.feedback(owner, query, { signal });
  const items: Rating[] = [];
  for (const rated of found.slice(0, ratedConversationsMax))
    items.push(...(await toRatings(rated, { store: deps.store, signal })));
  return context.json({
    ...{ ok: true, ...period, has_more: found.length > ratedConversationsMax },
    items: items
      .filter((item) => reaction === undefined || item.reaction === reaction)
      .toSorted((a, b) => (a.at < b.at ? 1 : -1)),
  });
}

type Rating = { readonly at: string; readonly reaction: string } & Record<string, string>;
type Reading = { readonly store: TimelineStore; readonly signal: AbortSignal };

/** The feedback that counts, with the texts of its turn. */
async function toRatings(
  { row, blocks }: ConversationFeedback,
  { store, signal }: Reading,
): Promise<readonly Rating[]> {
  const entries = currentEntries(toEntries(blocks));
  const only = [...new Set(entries.map(({ turn_id }) => toTurnId(turn_id)))];
  if (only.length === 0) return [];
  const { rows } = await store.turns(
    row,
    {
      ...{ conversation: row.id, only, targets: ['user', 'assistant'] },
      ...{ order: 'asc', offset: 0, limit: only.length },
    },
    { signal },
  );
  const textOf = (turn: string, target: string) => {
    const snippets = rows.find((each) => each.turn === turn)?.snippets ?? [];
    const texts = snippets.filter((each) => each.target === target).map(({ text }) => text);
    return cut((target === 'user' ? texts[0] : texts.at(-1)) ?? '');
  };
  const place = { conversation_id: row.id, user: row.user, title: row.title ?? '' };
  return entries.map(({ turn_id: turn, ts: at, reaction, origin, text }) => ({
    ...{ ...place, turn, at, reaction, origin, text: cut(text) },
    ...{ prompt: textOf(turn, 'user'), answer: textOf(turn, 'assistant') },
  }));
}

function cut(text: string): string {
  return text.slice(0, ratingCharsMax).toWellFormed();
}
