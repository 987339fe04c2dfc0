import { z } from 'zod';
import { reactions } from '../../../timeline/feedback.ts';
import type {
  IdleRow,
  Overview,
  RatingRow,
  UsageGroup,
  UsageRow,
  WorkingRow,
} from '../../../timeline/ports/overview.ts';
import type { OwnerFilter } from '../../../timeline/ports/store.ts';
import type { Database, Param } from '../database/database.ts';
import { withRetry } from '../database/retry.ts';
import { conversationColumns, parseRow, toConversation } from '../rows/rows.ts';

export function createSqlOverview(database: Database): Overview {
  const run = (sql: string, params: readonly Param[], signal: AbortSignal) =>
    withRetry(() => database.query(sql, params), signal);
  return {
    conversations: async (whose, { limit, before, signal }) => {
      const after = [before?.lastAt ?? null, before?.key ?? null];
      const rows = await run(
        statements.conversations,
        [...ownerOf(whose), ...after, limit],
        signal,
      );
      return rows.map(toConversation);
    },
    forks: async (key, { limit, signal }) =>
      (await run(statements.forks, [key, limit], signal)).map(toConversation),
    working: async (whose, { limit, signal }) =>
      (await run(statements.working, [...ownerOf(whose), limit], signal)).map(toWorking),
    usage: async (whose, { from, to, by, limit }, { signal }) => {
      const rows = await run(usageBy(by), [...ownerOf(whose), from, to, limit], signal);
      return rows.map(toUsage);
    },
    ratings: async (whose, { from, to, signal }) =>
      (await run(statements.ratings, [...ownerOf(whose), from, to], signal)).map(toRating),
    idle: async (whose, { since, limit, bundle = null, except = [], signal }) => {
      const params = [...ownerOf(whose), since, limit, bundle, [...except]];
      return (await run(statements.idle, params, signal)).map(toIdle);
    },
  };
}

function ownerOf({ tenant, project, user = '' }: OwnerFilter): readonly [string, string, string] {
  return [tenant, project, user];
}

/** An empty user stands for all users. */
const owned = `c.tenant = $1 and c.project = $2 and ($3 = '' or c.owner = $3) and c.erased_at is null`;

const statements = {
  conversations: `select ${conversationColumns} from conversation c where ${owned}
      and ($4::timestamptz is null or (date_trunc('milliseconds', c.last_at), c.id) < ($4::timestamptz, $5::bigint))
    order by date_trunc('milliseconds', c.last_at) desc, c.id desc limit $6`,
  forks: `select ${conversationColumns} from conversation c
    where c.parent = $1 and c.erased_at is null order by c.id limit $2`,
  working: `select ${conversationColumns}, c.attempts, c.lease_by as worker, iso_utc(c.due_at) as "dueAt",
      case when c.lease_until > clock_timestamp() then 'running'
           when c.reactive > greatest(c.answered, c.parked) then 'due' else 'parked' end as state
    from conversation c where ${owned} and c.open_turn is not null order by c.last_at limit $4`,
  // The keys of the data are those of the runtime: as for usage, only a key can match.
  ratings: `with newest as (
      select distinct on (b.conv, b.path) b.conv, substring(b.body from '"turn_id":"([^"]*)"') as turn,
             substring(b.body from '"origin":"([^"]*)"') as origin, substring(b.body from '"reaction":"([^"]*)"') as reaction
        from block b join conversation c on c.id = b.conv
       where b.type = 'feedback' and b.at >= $4::timestamptz and b.at < $5::timestamptz and ${owned}
       order by b.conv, b.path, b.seq desc)
    select coalesce(r.agent, '') as agent, n.origin, n.reaction, count(*)::int as count
      from newest n left join lateral (
        select t.agent from timeline_lineage(n.conv) l join turn t on t.conv = l.conv and t.seq <= l.upto
         where t.turn = n.turn limit 1) r on true
     where n.reaction is not null group by 1, 2, 3 order by 1, 2, 3`,
  idle: `select ${conversationColumns}, o.bundle
    from conversation c left join lateral (
      select split_part(t.agent, '/', 1) as bundle from timeline_lineage(c.id) l
        join turn t on t.conv = l.conv and t.seq <= l.upto order by t.ordinal desc limit 1) o on true
    where ${owned} and c.open_turn is null and c.last_at < $4::timestamptz
      and ($6::text is null or o.bundle = $6) and not coalesce(o.bundle = any ($7::text[]), false)
    order by c.last_at, c.id limit $5`,
} as const;

const keys: Readonly<Record<UsageGroup, string>> = {
  day: `to_char(b.at at time zone 'UTC', 'YYYY-MM-DD')`,
  agent: `coalesce(t.agent, '')`,
  model: `coalesce(substring(b.body from '"model":"((?:[^"\\\\]|\\\\.)*)"'), '')`,
  role: `coalesce(substring(b.body from '"role":"((?:[^"\\\\]|\\\\.)*)"'), 'decision')`,
  user: 'c.owner',
  conversation: 'c.cid',
};

/**
 * A body may hold escapes that no JSON type of the database accepts, so the object of the usage is cut out of it: a quotation
 * mark in a text has a backslash before it, so only a key can match, and the first one is that of the call.
 */
const usageObject = `substring(b.body from '"usage":(\\{[^{}]*\\})')::json`;

function usageBy(group: UsageGroup): string {
  const sum = (field: string) => `coalesce(sum((u.usage->>'${field}')::float8), 0)::float8`;
  return `select ${keys[group]} as key, count(*)::int as calls,
      ${sum('input_tokens')} as "inputTokens", ${sum('output_tokens')} as "outputTokens",
      ${sum('cache_read_tokens')} as "cacheReadTokens", ${sum('cache_write_tokens')} as "cacheWriteTokens",
      ${sum('cost_usd')} as "costUsd"
    from block b join conversation c on c.id = b.conv
    left join turn t on t.conv = b.conv and t.turn = b.turn
    cross join lateral (select ${usageObject} as usage) u
    where b.type = 'model.call' and b.at >= $4::timestamptz and b.at < $5::timestamptz and ${owned}
    group by 1 order by ${group === 'day' ? '1 desc' : '7 desc, 2 desc, 1'} limit $6`;
}

const UsageColumns: z.ZodType<UsageRow> = z.object({
  key: z.string(),
  calls: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  costUsd: z.number(),
});

function toUsage(row: unknown): UsageRow {
  return parseRow(UsageColumns, row);
}

const WorkingColumns = z.object({
  attempts: z.number(),
  worker: z.string().nullable(),
  dueAt: z.string().nullable(),
  state: z.enum(['running', 'parked', 'due']),
});

function toWorking(columns: unknown): WorkingRow {
  const { attempts, worker, dueAt, state } = parseRow(WorkingColumns, columns);
  return {
    row: toConversation(columns),
    state,
    attempts,
    ...(worker === null ? {} : { worker }),
    ...(dueAt === null ? {} : { dueAt }),
  };
}

const RatingColumns: z.ZodType<RatingRow> = z.object({
  agent: z.string(),
  origin: z.enum(['user', 'machine']),
  reaction: z.enum(reactions),
  count: z.number(),
});

function toRating(row: unknown): RatingRow {
  return parseRow(RatingColumns, row);
}

const IdleColumns = z.looseObject({ bundle: z.string().nullable() });

function toIdle(row: unknown): IdleRow {
  const { bundle } = parseRow(IdleColumns, row);
  return { row: toConversation(row), bundle: bundle || undefined };
}
