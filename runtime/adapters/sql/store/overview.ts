import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';
import { reactions } from '../../../timeline/feedback.ts';
import { conversationKeySchema, seqSchema, turnIdSchema } from '../../../timeline/ids.ts';
import {
  type ConversationFacts,
  type ConversationFilter,
  conversationStates,
  type FailureRow,
  type IdleRow,
  type Overview,
  type RatingRow,
  type ToolRow,
  type UsageGroup,
  type UsageRow,
  type WorkingRow,
} from '../../../timeline/ports/overview.ts';
import type { OwnerFilter } from '../../../timeline/ports/store.ts';
import type { Database, Param } from '../database/database.ts';
import { withRetry } from '../database/retry.ts';
import { conversationColumns, parseRow, toConversation } from '../rows/rows.ts';
import { passagesStatement, saidIn, toPassage, toSearched } from './passages.ts';

export function createSqlOverview(database: Database): Overview {
  const run = (sql: string, params: readonly Param[], signal: AbortSignal) =>
    withRetry(() => database.query(sql, params), signal);
  return {
    conversations: async (whose, { limit, before, filter = {}, signal }) => {
      const after = [before?.lastAt ?? null, before?.key ?? null];
      const params = [...ownerOf(whose), ...after, limit, ...filterParams(filter)];
      return (await run(statements.conversations, params, signal)).map(toConversation);
    },
    facts: async (keys, { signal }) =>
      (await run(statements.facts, [keys.map(String)], signal)).map(toFacts),
    passages: async (keys, text, { signal }) => {
      const params = [keys.map(String), toSearched(text)];
      return (await run(passagesStatement, params, signal)).map(toPassage);
    },
    forks: async (key, { limit, signal }) =>
      (await run(statements.forks, [key, limit], signal)).map(toConversation),
    working: async (whose, { limit, signal }) =>
      (await run(statements.working, [...ownerOf(whose), limit], signal)).map(toWorking),
    usage: async (whose, { from, to, by, limit }, { signal }) => {
      const rows = await run(usageBy(by), [...ownerOf(whose), from, to, limit], signal);
      return rows.map(toUsage);
    },
    failures: async (whose, { from, to, limit, signal }) =>
      (await run(statements.failures, [...ownerOf(whose), from, to, limit], signal)).map(toFailure),
    tools: async (whose, { from, to, limit, signal }) => {
      const rows = await run(statements.tools, [...ownerOf(whose), from, to, limit], signal);
      return rows.map((row) => parseRow(ToolColumns, row));
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

function filterParams(filter: ConversationFilter): readonly (string | number | null)[] {
  const { text, state = null, agent = null, from = null, to = null, costUsd = null } = filter;
  return [toSearched(text), state, agent, from, to, costUsd];
}

/**
 * A body may hold escapes that no JSON type of the database accepts, so the object of the usage is cut out of it: a quotation
 * mark in a text has a backslash before it, so only a key can match, and the first one is that of the call.
 */
const usageObject = `substring(b.body from '"usage":(\\{[^{}]*\\})')::json`;

/** Of a conversation `c`, without what it shares with its original. */
const ownCost = `(select coalesce(sum((${usageObject}->>'cost_usd')::float8), 0)
  from block b where b.conv = c.id and b.type = 'model.call')`;
const lastAgent = `(select t.agent from timeline_lineage(c.id) l join turn t on t.conv = l.conv and t.seq <= l.upto
  order by t.ordinal desc limit 1)`;
const state = `case when c.open_turn is null then
    case when (select substring(b.body, '"reason":"([^"]*)"') from block b
                where b.conv = c.id and b.type = 'turn.close' order by b.seq desc limit 1) in ('failed', 'exhausted')
         then 'failed' else 'done' end
  when c.lease_until > clock_timestamp() or c.reactive > greatest(c.answered, c.parked) then 'working' else 'waiting' end`;

/** The first text with this key. A quotation mark in a text has a backslash before it, so only a key can match. */
function field(body: string, key: string): string {
  return `substring(${body}, '"${key}":"((?:[^"\\\\]|\\\\.)*)"')`;
}

/** Of a result `b`: whether its data begins with a failure. */
const isFailed = `substring(b.body, '"data":\\{"ok":(true|false)') = 'false'`;
/** `q` is the call of the result `b`. */
const requestOfResult = `q.conv = b.conv and b.call is not null and q.type = 'react.tool.call'
  and q.path = 'tc:' || b.turn || '.' || b.call || '.call'`;

/** An empty user stands for all users. */
const owned = `c.tenant = $1 and c.project = $2 and ($3 = '' or c.owner = $3) and c.erased_at is null`;

const statements = {
  conversations: `with said as materialized (${saidIn('$7', owned)})
    select ${conversationColumns} from conversation c where ${owned}
      and ($4::timestamptz is null or (date_trunc('milliseconds', c.last_at), c.id) < ($4::timestamptz, $5::bigint))
      and ($7::text is null or c.cid = $7 or position(lower($7) in lower(coalesce(c.title, '') || chr(10) || c.owner)) > 0
        or c.id in (select conv from said))
      and ($8::text is null or ${state} = $8)
      and ($9::text is null or ${lastAgent} = $9)
      and ($10::timestamptz is null or c.last_at >= $10::timestamptz)
      and ($11::timestamptz is null or c.last_at < $11::timestamptz)
      and ($12::float8 is null or ${ownCost} >= $12::float8)
    order by date_trunc('milliseconds', c.last_at) desc, c.id desc limit $6`,
  facts: `select c.id as key, ${ownCost}::float8 as "costUsd", ${lastAgent} as agent, ${state} as state,
      (select count(*) from block b where b.conv = c.id and b.type = 'model.call')::int as calls
    from unnest($1::bigint[]) with ordinality as wanted (key, place) join conversation c on c.id = wanted.key
    order by wanted.place`,
  // The first block of a rerun names its original; a quotation mark in a text has a backslash before it, so only a key matches.
  forks: `select ${conversationColumns} from conversation c, conversation o
    where o.id = $1 and c.erased_at is null and (c.parent = o.id or (
      c.parent is null and c.tenant = o.tenant and c.project = o.project and c.owner = o.owner and exists (
        select 1 from block b where b.conv = c.id and b.seq = 1
           and position('"rerun_of":{"conversation":"' || o.cid || '"' in b.body) > 0)))
    order by c.id limit $2`,
  working: `select ${conversationColumns}, c.attempts, c.lease_by as worker, iso_utc(c.due_at) as "dueAt",
      case when c.lease_until > clock_timestamp() then 'running'
           when c.reactive > greatest(c.answered, c.parked) then 'due' else 'parked' end as state
    from conversation c where ${owned} and c.open_turn is not null order by c.last_at limit $4`,
  failures: `select c.cid as conversation, c.owner as "user", c.title, b.seq, b.turn, iso_utc(b.at) as at,
      coalesce(${field('q.body', 'tool')}, '') as tool, coalesce(${field('b.body', 'code')}, '') as code,
      coalesce(${field('b.body', 'message')}, '') as message
    from conversation c join block b on b.conv = c.id left join block q on ${requestOfResult}
   where ${owned} and c.last_at >= $4::timestamptz and b.at >= $4::timestamptz and b.at < $5::timestamptz
     and (b.type = 'turn.close' and ${field('b.body', 'reason')} = 'failed' or b.type = 'react.tool.result' and ${isFailed})
   order by b.at desc, b.conv desc, b.seq desc limit $6`,
  tools: `select ${field('q.body', 'tool')} as tool, count(*)::int as calls,
      count(*) filter (where ${isFailed})::int as failed,
      coalesce(avg(extract(epoch from b.at - q.at) * 1000), 0)::float8 as ms
    from conversation c join block b on b.conv = c.id join block q on ${requestOfResult}
   where ${owned} and c.last_at >= $4::timestamptz and b.type = 'react.tool.result'
     and b.at >= $4::timestamptz and b.at < $5::timestamptz
   group by 1 order by 3 desc, 2 desc, 1 limit $6`,
  // The keys of the data are those of the runtime: as for usage, only a key can match.
  ratings: `with newest as (
      select distinct on (b.conv, b.path) b.conv, substring(b.body, '"turn_id":"([^"]*)"') as turn,
             substring(b.body, '"origin":"([^"]*)"') as origin, substring(b.body, '"reaction":"([^"]*)"') as reaction
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

const FactsColumns = z.object({
  key: conversationKeySchema,
  calls: z.number(),
  costUsd: z.number(),
  agent: z.string().nullable(),
  state: z.enum(conversationStates),
});

function toFacts(columns: unknown): ConversationFacts {
  const { agent, ...facts } = parseRow(FactsColumns, columns);
  return { ...facts, agent: agent || undefined };
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

const FailureColumns = z.object({
  conversation: z.string(),
  user: z.string(),
  title: z.string().nullable(),
  seq: seqSchema,
  turn: turnIdSchema,
  at: z.string(),
  tool: z.string(),
  code: z.string(),
  message: z.string(),
});

function toFailure(columns: unknown): FailureRow {
  const { title, message, ...row } = parseRow(FailureColumns, columns);
  const text = parseJson(`"${message}"`);
  return { ...row, title: title ?? undefined, message: typeof text === 'string' ? text : message };
}

const ToolColumns: z.ZodType<ToolRow> = z.object({
  tool: z.string(),
  calls: z.number(),
  failed: z.number(),
  ms: z.number(),
});

const IdleColumns = z.looseObject({ bundle: z.string().nullable() });

function toIdle(row: unknown): IdleRow {
  const { bundle } = parseRow(IdleColumns, row);
  return { row: toConversation(row), bundle: bundle || undefined };
}
