import type { Client } from 'pg';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
import type { SnippetVector, TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { signs } from '../../../runtime/timeline/search/vectors.ts';
import { Centres, dimensions, nearTo, vectorOf } from './vectors.ts';

const vocabulary = 40_000;
const perConversation = 1_000;
const batch = 10_000;
const plantedEach = 5;
const keepDeadlineMs = 30_000;

export type Planted = {
  readonly text: string;
  readonly vector: readonly number[];
  /** `conv.seq` of what was planted for it; none for a query that has only chance neighbours. */
  readonly ids: readonly string[];
};

export const sender = { tenant: 'bench', project: 'bench', user: 'ada' };
export const space = 'bench:vectors';

/**
 * Snippets of one user: words by Zipf's law out of a made-up vocabulary, vectors around the middles of clusters,
 * over a year. The vectors of a batch are kept on a second connection while the next batch is made.
 */
export async function fill(
  [client, second]: readonly [Client, Client],
  size: number,
): Promise<void> {
  await client.query('select setseed(0.42)');
  await client.query(vocabularySql);
  await client.query(`insert into conversation (tenant, project, owner, cid, head)
    select 'bench', 'bench', 'ada', 'conv_' || i, ${perConversation}
      from generate_series(1, ${Math.ceil(size / perConversation)}) i`);
  await client.query(`insert into projection (name, dimensions, position)
    values ('${space}', ${dimensions}, 1000000000)`);
  await client.query('drop index snippet_words');
  const centres = new Centres();
  let keeping: Promise<unknown> = Promise.resolve();
  for (let from = 0; from < size; from += batch) {
    const to = Math.min(size, from + batch);
    await Promise.all([keeping, insertSnippets(client, [from, to])]);
    keeping = insertVectors(second, centres, [from, to]);
  }
  await keeping;
  await client.query(centresSql, [
    centres.all.map(({ id }) => id),
    centres.all.map(({ sign }) => sign),
  ]);
  await client.query('create index snippet_words on snippet using gin (words)');
}

type Range = readonly [from: number, to: number];

async function insertSnippets(client: Client, range: Range): Promise<void> {
  await client.query(`create temp table made as ${madeSql(range)}`);
  await client.query(`insert into block (conv, seq, at, type, turn, path, body)
    select conv, seq, at, 'user.prompt', 'turn_' || seq, 'ar:turn_' || seq || '.user.prompt', '{}' from made`);
  await client.query(
    `insert into snippet (conv, seq, at, target, text) select conv, seq, at, 'user', text from made`,
  );
  await client.query('drop table made');
}

/** The one writer of a new database gives its snippets the ids from 1 on. */
async function insertVectors(client: Client, centres: Centres, [from, to]: Range): Promise<void> {
  const ids = Array.from({ length: to - from }, (_, index) => from + index + 1);
  const vectors = ids.map(vectorOf);
  await client.query(
    `insert into snippet_vector (space, conv, seq, scope, target, at, sign, vector, centre)
      select p.id, s.conv, s.seq, s.scope, s.target, s.at, x.sign::bit varying, x.vector::real[], x.centre
        from projection p, unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) x (id, sign, vector, centre)
        join snippet s on s.id = x.id`,
    [
      ids,
      vectors.map(signs),
      vectors.map((vector) => `{${vector.join(',')}}`),
      vectors.map((vector, index) => centres.of(ids[index] ?? 0, vector)),
    ],
  );
}

const centresSql = `insert into snippet_centre (space, scope, centre, snippet, sign)
  select p.id, s.scope, s.id, s.id, x.sign::bit varying
    from projection p, unnest($1::bigint[], $2::text[]) x (id, sign) join snippet s on s.id = x.id`;

const vocabularySql = `
  create temp table syllable as select row_number() over () - 1 as n, s from unnest(
    '{ba,ke,li,mo,nu,ra,se,ti,vo,zu,da,fe,gi,ho,ju,pa,wen,rox,sal,tum}'::text[]) s;
  create temp table vocabulary as
    select i, a.s || b.s || c.s || case when i >= 8000 then d.s else '' end as word
      from generate_series(1, ${vocabulary}) i
      join syllable a on a.n = (i * 7919) % 20 join syllable b on b.n = (i * 7919 / 20) % 20
      join syllable c on c.n = (i * 7919 / 400) % 20 join syllable d on d.n = i % 20;
  create unique index on vocabulary (i)`;

const zipf = `least(${vocabulary}, floor(exp(random() * ln(${vocabulary})))::int)`;
const madeSql = ([from = 0, to = 0]: readonly number[]) => `
  select c.id as conv, 1 + n % ${perConversation} as seq, now() - interval '365 days' * random() as at,
         (select string_agg(v.word, ' ') from (select ${zipf} as i from generate_series(1, 15 + n % 30) where c.id > 0) x
            join vocabulary v on v.i = x.i) as text
    from generate_series(${from}, ${to - 1}) n join conversation c on c.cid = 'conv_' || 1 + n / ${perConversation}`;

/** Where snippets are planted: words by hand, vectors as the program keeps them. */
type Bed = { readonly client: Client; readonly store: TimelineStore };

/** Half of the queries have five snippets planted that hold their words and mean nearly the same; every third is misspelt. */
export async function plant(bed: Bed, queries: number): Promise<readonly Planted[]> {
  const planted: Planted[] = [];
  for (let n = 0; n < queries; n += 1) {
    const words = [9_001 + n * 97, 400 + n * 7, 20 + n].map((i) => i % vocabulary);
    const rows = await bed.client.query<{ word: string }>(
      'select word from vocabulary where i = any ($1) order by i desc',
      [words],
    );
    const vector = vectorOf(n);
    const [rare = '', ...rest] = rows.rows.map(({ word }) => word);
    const ids = n % 2 === 0 ? await plantFor(bed, { n, words: [rare, ...rest], vector }) : [];
    planted.push({ text: [n % 3 === 0 ? misspelt(rare) : rare, ...rest].join(' '), vector, ids });
  }
  return planted;
}

/** Two letters in the middle change places. */
function misspelt(word: string): string {
  const at = Math.floor(word.length / 2);
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
}

async function plantFor(
  { client, store }: Bed,
  { n, words, vector }: { n: number; words: readonly string[]; vector: readonly number[] },
): Promise<readonly string[]> {
  const { rows } = await client.query<{ id: string; key: string; seq: string }>(
    `update snippet set text = $3 || text
      where id in (select id from snippet where id % 9973 = $1 order by id limit $2) returning id, conv as key, seq`,
    [n, plantedEach, `${words.join(' and then ')} `],
  );
  const near: readonly SnippetVector[] = rows.map(({ id, key, seq }) => ({
    id: Number(id),
    key: toConversationKey(Number(key)),
    seq: toSeq(Number(seq)),
    vector: nearTo(vector),
  }));
  for (const { key, seq } of near) {
    await client.query('delete from snippet_vector where conv = $1 and seq = $2', [key, seq]);
  }
  await store.keepVectors(space, near, { signal: AbortSignal.timeout(keepDeadlineMs) });
  return rows.map(({ key, seq }) => `${key}.${seq}`);
}
