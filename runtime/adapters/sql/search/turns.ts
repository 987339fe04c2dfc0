import type { Sender, TurnPage, TurnQuery } from '../../../timeline/ports/store.ts';
import { toColumn } from '../../../timeline/ports/store-rules.ts';
import { shownSnippetChars, shownSnippetsMax } from '../database/limits.ts';
import { isRecalled, snippetText, turnIsRecovery, turnsOf } from '../rows/snippet-columns.ts';
import { toTurnRow } from './search-rows.ts';
import { findSearchScope, inLineage, type Query } from './search-scope.ts';

/** Turns of a scope in order, each with its snippets. */
export async function listTurns(run: Query, sender: Sender, query: TurnQuery): Promise<TurnPage> {
  const within = await findSearchScope(run, sender, query);
  if (!within) return { total: 0, rows: [] };
  const { tenant, project, user } = sender;
  const owner = [within.scope, tenant, project, user];
  const place = [
    ...owner,
    query.offset,
    query.limit,
    within.conversation,
    within.conv,
    query.only?.map(toColumn) ?? null,
  ];
  const rows = (await run(pageStatement(query), [...within.filters, ...place])).map(toTurnRow);
  // The total is in the rows, so a page past the end needs a query of its own.
  if (rows.length === 0 && query.offset > 0) {
    const { total } = await listTurns(run, sender, { ...query, offset: 0, limit: 1 });
    return { total, rows: [] };
  }
  return { total: rows[0]?.total ?? 0, rows: rows.map(({ total: _, ...row }) => row) };
}

function pageStatement({ order, conversation }: TurnQuery): string {
  const dir = order === 'asc' ? 'asc' : 'desc';
  const where =
    conversation === undefined
      ? 't.scope = $8::bigint and $6::bigint[] is null and $7::bigint[] is null'
      : `$8::bigint is not null and ${inLineage('t')}`;
  return `with mine as not materialized (
  select t.*, c.cid from turn t
    join conversation c on c.id = t.conv and c.tenant = $9 and c.project = $10 and c.owner = $11
     and (c.erased_at is null or $15::bigint is not null)
   where ${where} and ($2::timestamptz is null or t.at >= $2) and ($3::timestamptz is null or t.at < $3)
     and ($4::text is null or t.turn <> $4) and ($5::text is null or t.agent = $5)
     and ($16::text[] is null or t.turn = any ($16)))
select coalesce($14::text, m.cid) as conversation, m.turn, iso_utc(m.at) as at, m.ordinal::int as ordinal,
       ${turnsOf('coalesce($15::bigint, m.conv)')}::int as turns,
       coalesce(${turnIsRecovery('m')}, false) as recovery, (select count(*) from mine)::int as total,
       array_to_json(array(${said})) as snippets
  from (select * from mine order by at ${dir}, conv ${dir}, ordinal ${dir} offset $12 limit $13) m
 order by m.at ${dir}, m.conv ${dir}, m.ordinal ${dir}`;
}

const said = `select json_build_object('path', b.path, 'target', s.target, 'at', iso_utc(s.at),
    'text', left(${snippetText('s')}, ${shownSnippetChars}))
  from snippet s join block b on b.conv = s.conv and b.seq = s.seq
 where s.conv = m.conv and s.turn = m.turn and s.target = any ($1) and s.seq > m.seq and ${inLineage('s')}
   and s.seq < coalesce((select min(n.seq) from turn n where n.conv = m.conv and n.seq > m.seq), 9223372036854775807)
   and not ${isRecalled('b')}
 order by s.seq limit ${shownSnippetsMax}`;
