import { candidatesMax, queryWordsMax } from '../database/limits.ts';

/** A word of a query, an estimate of how many snippets of the scope have it (0 for few), and similar words. */
export type QueryWord = {
  readonly word: string;
  readonly snippets: number;
  readonly alike: readonly string[];
};

/** Queries over `snippet.words`, as tsquery text. */
export type WordQuery = {
  readonly within: string;
  /** Required in a snippet; undefined: every word is so common that only the newest snippets are searched. */
  readonly lexical: string | undefined;
  readonly any: string;
  readonly all: string;
  readonly alike: string | undefined;
};

/**
 * Selects the words of the query with their frequencies, from the database statistics, and with similar words from the
 * lexicon: words with the same beginning (another ending) and, if trigrams are installed, words for misspelt ones. A
 * common word gets no similar words.
 * $1: text, $2: lexeme of the scope.
 */
export function wordsStatement({ trigrams }: { trigrams: boolean }): string {
  return `with asked as (
  select lexeme as word, length(lexeme) as chars,
         octet_length(lexeme) > length(lexeme) as wide
    from unnest(to_tsvector('simple', memory_plain($1))) order by positions[1] limit ${queryWordsMax}),
common as (
  select e.word, e.share from pg_stats s,
    unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (word, share)
   where s.schemaname = current_schema() and s.tablename = 'snippet' and s.attname = 'words' and e.word is not null),
size as (
  select reltuples * coalesce((select share from common where word = $2), 0) as snippets
    from pg_class where oid = 'snippet'::regclass)
select a.word, (coalesce(c.share, 0) * size.snippets)::float8 as snippets,
       array(select word from (${neighbours(trigrams)}) n where c.word is null and n.word <> a.word) as alike
  from asked a cross join size left join common c on c.word = a.word`;
}

const neighboursMax = 4;
/** Shorter words have too many with the same beginning. */
const endingsCharsMin = 3;
/** Minimum number of letters that words with different endings share. */
const stemMin = 4;

function neighbours(trigrams: boolean): string {
  const stem = `left(a.word, greatest(${stemMin}, a.chars - 3))`;
  const endings = `(select l.word, 1 as kind, length(l.word)::real as far from lexicon l
      where a.chars >= ${endingsCharsMin} and l.word >= ${stem} collate "C" and l.word < ${stem} || U&'\\+10FFFF' collate "C"
      order by far limit ${neighboursMax})`;
  const misspelt = `(select l.word, 0, 1 - similarity(l.word, a.word) from lexicon l
      where (a.chars >= ${stemMin} or a.wide) and l.word % a.word order by 3 limit ${neighboursMax})`;
  return trigrams ? `${misspelt} union all ${endings}` : endings;
}

/** Common words affect the rank but do not retrieve snippets: rare words say what a query is about, and are quick to look up. */
export function toWordQuery(
  words: readonly QueryWord[],
  within: readonly string[],
): WordQuery | undefined {
  if (words.length === 0) return undefined;
  const rare = rareOf(words);
  const own = new Set(words.map(({ word }) => word));
  const alike = [...new Set(words.flatMap((word) => word.alike))].filter((word) => !own.has(word));
  return {
    within: anyOf(within),
    lexical: rare.length === 0 ? undefined : anyOf(rare),
    any: anyOf([...own]),
    all: [...own].map(quoted).join(' & '),
    alike: alike.length === 0 ? undefined : anyOf(alike),
  };
}

function rareOf(words: readonly QueryWord[]): readonly string[] {
  let snippets = 0;
  return words
    .toSorted((a, b) => a.snippets - b.snippets)
    .filter((word) => {
      snippets += word.snippets;
      return snippets <= candidatesMax;
    })
    .map(({ word }) => word);
}

function anyOf(words: readonly string[]): string {
  return `(${words.map(quoted).join(' | ')})`;
}

function quoted(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
