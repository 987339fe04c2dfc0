import type { Sender, Snippet, SnippetQuery } from '../../../timeline/ports/store.ts';
import { toColumn } from '../../../timeline/ports/store-rules.ts';
import { fuse, type RankedHit } from '../../../timeline/search/ranking.ts';
import type { Param } from '../database/database.ts';
import { candidatesMax, rankedSnippetsMax, recentSnippetsMax } from '../database/limits.ts';
import { isRecalled, snippetText, turnIsRecovery, turnsOf } from '../rows/snippet-columns.ts';
import { toQueryWord, toRanked, toSnippet } from './search-rows.ts';
import {
  type Extensions,
  findSearchScope,
  inLineage,
  type Query,
  type SearchScope,
} from './search-scope.ts';
import { rankByMeaning } from './vector-search.ts';
import { toWordQuery, type WordQuery, wordsStatement } from './word-query.ts';

type Statement = [sql: string, params: readonly Param[]];

/** Ranks by words, by similar words and by meaning, each with a limit; then fuses the rankings and reads the snippets. */
export async function searchSnippets(
  run: Query,
  { sender, query, abilities }: { sender: Sender; query: SnippetQuery; abilities: Extensions },
): Promise<readonly Snippet[]> {
  const within = await findSearchScope(run, sender, query);
  if (!within) return [];
  const { text, weights, limit } = query;
  if (text === undefined) {
    const rows = await run(newestStatement, [...within.filters, within.scope, limit]);
    return await readSnippets(run, { sender, within }, rows.map(toRanked).map(unscored));
  }
  const [byWords, byMeaning] = await Promise.all([
    rankWords(run, within, { text, abilities }),
    rankByMeaning(run, within, { vector: query.vector, abilities }),
  ]);
  const fused = fuse([...byWords, ...byMeaning], weights);
  return await readSnippets(run, { sender, within }, fused.slice(0, limit));
}

function unscored({ id }: RankedHit) {
  return { id, score: 1 };
}

const matchesFilters = (s: string) => `${s}.target = any ($1)
   and ($2::timestamptz is null or ${s}.at >= $2) and ($3::timestamptz is null or ${s}.at < $3)
   and ($4::text is null or ${s}.turn <> $4) and ($5::text is null or ${s}.agent = $5) and ${inLineage(s)}`;
const rankedColumns = (ranking: string, order: string) => `select '${ranking}' as ranking,
    (row_number() over (order by ${order}))::int as place, s.conv || '.' || s.seq as id,
    (extract(epoch from clock_timestamp() - s.at) * 1000)::float8 as age`;

const newestStatement = `${rankedColumns('newest', 's.at desc, s.id desc')} from (
  select * from snippet s where s.scope = $8::bigint and ${matchesFilters('s')}
     and ($6::bigint[] is not null or exists (select from conversation c where c.id = s.conv and c.erased_at is null))
   order by s.at desc, s.id desc limit $9) s`;

async function rankWords(
  run: Query,
  within: SearchScope,
  { text, abilities }: { text: string; abilities: Extensions },
): Promise<readonly RankedHit[]> {
  const plain = toColumn(text);
  const words = await run(wordsStatement(abilities), [plain, within.lexemes[0] ?? '']);
  const query = toWordQuery(words.map(toQueryWord), within.lexemes);
  if (!query) return [];
  const rows = await Promise.all([
    run(...lexicalStatement(query, within, plain)),
    query.alike === undefined ? [] : run(...alikeStatement(query.alike, query, within)),
  ]);
  return rows.flat().map(toRanked);
}

/** Weights of classes D, C, B, A: B is the text, A is its heading; scope names have no weight. */
const rank = (query: string) => `ts_rank('{0, 0, 0.4, 1}', s.words, ${query}::tsquery, 1)`;

/** Ranks by how often the words occur and how close together they are, with a bonus for the exact phrase. */
function lexicalStatement(query: WordQuery, within: SearchScope, text: string): Statement {
  const phrase = `phraseto_tsquery('simple', memory_plain($10))`;
  const order = `${rank('$8')} + ${rank('$9')} + case when numnode(${phrase}) > 1 and s.words @@ ${phrase} then 1 else 0 end desc, s.at desc, s.id desc`;
  const { filters, scope } = within;
  const best = (from: string) =>
    `select * from (${rankedColumns('lexical', order)} from ${from}) r where place <= ${rankedSnippetsMax}`;
  const { any, all, lexical } = query;
  if (lexical !== undefined) {
    const params = [...filters, any, all, text, `${query.within} & ${lexical}`];
    return [best(`snippet s where s.words @@ $11::tsquery and ${matchesFilters('s')}`), params];
  }
  const recent = `(select * from snippet s where s.scope = $11::bigint
     and ${matchesFilters('s')} order by s.at desc limit ${recentSnippetsMax}) s where s.words @@ $8::tsquery`;
  return [best(recent), [...filters, any, all, text, scope]];
}

function alikeStatement(alike: string, query: WordQuery, { filters }: SearchScope): Statement {
  const order = `${rank('$9')} desc, s.at desc, s.id desc`;
  const sql = `select * from (${rankedColumns('alike', order)} from (
      select * from snippet s where s.words @@ $8::tsquery and ${matchesFilters('s')} limit ${candidatesMax}) s) r
    where place <= ${rankedSnippetsMax}`;
  return [sql, [...filters, `${query.within} & ${alike}`, `${alike} | ${query.any}`]];
}

const snippetsStatement = `select coalesce($6::text, c.cid) as conversation, s.turn, s.seq, b.path, s.target, iso_utc(s.at) as at, ${snippetText('s')} as text,
    coalesce(t.ordinal, 0)::int as ordinal,
    coalesce(${turnsOf('coalesce($7::bigint, s.conv)')}, 0)::int as turns,
    coalesce(${turnIsRecovery('t')}, false) as recovery, h.place::int as place
  from unnest($4::bigint[], $5::bigint[]) with ordinality as h (conv, seq, place)
  join conversation c on c.id = h.conv and c.tenant = $1 and c.project = $2 and c.owner = $3
    and (c.erased_at is null or $7::bigint is not null)
  join snippet s on s.conv = h.conv and s.seq = h.seq
  join block b on b.conv = s.conv and b.seq = s.seq
  left join turn t on t.conv = s.conv and t.turn = s.turn
 where not ${isRecalled('b')}
 order by h.place`;

/**
 * Checks ownership here: the rankings only narrowed the search by scope. A named conversation exists; ancestors whose
 * blocks it shares may be erased.
 */
async function readSnippets(
  run: Query,
  { sender: { tenant, project, user }, within }: { sender: Sender; within: SearchScope },
  found: readonly { id: string; score: number }[],
): Promise<readonly Snippet[]> {
  const keys = found.map(({ id }) => id.split('.'));
  const convs = keys.map(([conv = '0']) => conv);
  const seqs = keys.map(([, seq = '0']) => seq);
  const rows = await run(snippetsStatement, [
    tenant,
    project,
    user,
    convs,
    seqs,
    within.conversation,
    within.conv,
  ]);
  return rows.map((row) => toSnippet(row, (place) => found[place - 1]?.score ?? 0));
}
