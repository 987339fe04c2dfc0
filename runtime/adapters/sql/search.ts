import type { Sender, SnippetQuery } from '../../timeline/store.ts';
import { toColumn } from '../../timeline/stored.ts';
import type { Param } from './database.ts';
import { rankedSnippetsMax, similarityMin, similarSnippetsMax } from './limits.ts';

type Statement = { readonly sql: string; readonly params: readonly Param[] };

/** Evens out rankings of different kinds; the usual constant of reciprocal rank fusion. */
const fusionK = 60;

const mine = `mine as not materialized (
  select s.*, c.cid from snippet s join conversation c on c.id = s.conv
   where c.tenant = $1 and c.project = $2 and c.owner = $3 and c.erased_at is null
     and s.target = any ($4) and ($5::text is null or c.cid = $5))`;

const shown = `select m.cid as conversation, b.turn, m.seq, b.path, m.target, iso_utc(m.at) as at, m.text`;

const newest = `with ${mine}
${shown}, 1::float8 as score from mine m join block b on b.conv = m.conv and b.seq = m.seq
 order by m.at desc, m.seq desc limit $6`;

const lexical = `wanted as (
  select replace(plainto_tsquery('english', $7)::text, ' & ', ' | ')::tsquery as query),
lexical as (
  select conv, seq, row_number() over (order by ts_rank_cd(words, query) desc, at desc) as place
    from mine, wanted where words @@ query order by place limit ${rankedSnippetsMax})`;

const alike = `alike as (
  select conv, seq, row_number() over (order by word_similarity($7, text) desc, at desc) as place
    from (select * from mine order by at desc limit ${similarSnippetsMax}) recent
   where word_similarity($7, text) >= ${similarityMin} order by place limit ${rankedSnippetsMax})`;

/** Snippets by words and, where trigrams are installed, by likeness; the two rankings are fused by rank. */
export function searchStatement(
  sender: Sender,
  query: SnippetQuery,
  { trigrams }: { trigrams: boolean },
): Statement {
  const { tenant, project, user } = sender;
  const conversation = query.conversation ?? null;
  const params: readonly Param[] = [
    tenant,
    project,
    user,
    query.targets,
    conversation,
    query.limit,
  ];
  if (query.text === undefined) return { sql: newest, params };
  return { sql: ranked(trigrams), params: [...params, toColumn(query.text)] };
}

function ranked(trigrams: boolean): string {
  const rankings = trigrams ? ['lexical', 'alike'] : ['lexical'];
  const places = rankings.map((name) => `select * from ${name}`).join(' union all ');
  return `with ${[mine, lexical, ...(trigrams ? [alike] : [])].join(', ')},
hits as (select conv, seq, sum(1.0 / (${fusionK} + place))::float8 as score from (${places}) x group by conv, seq)
${shown}, h.score from hits h
  join mine m on m.conv = h.conv and m.seq = h.seq join block b on b.conv = h.conv and b.seq = h.seq
 order by h.score desc, m.at desc, m.seq desc limit $6`;
}
