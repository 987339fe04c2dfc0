import type { Client } from 'pg';
import { signs } from '../../runtime/timeline/vectors.ts';

/** Components of a vector; clusters, so that there are neighbours that are not the planted ones. */
export const dimensions = 256;
const clusters = 500;
const vocabulary = 40_000;
const perConversation = 1_000;
const batch = 20_000;
const plantedEach = 5;

export type Planted = {
  readonly text: string;
  readonly vector: readonly number[];
  /** `conv.seq` of what was planted for it; none for a query that has only chance neighbours. */
  readonly ids: readonly string[];
};

export const sender = { tenant: 'bench', project: 'bench', user: 'ada' };
export const space = 'bench:vectors';

/**
 * So many snippets of one user: words by Zipf's law out of a made-up vocabulary, vectors around cluster centres, over a
 * year. Everything is made within the database, from a fixed seed.
 */
export async function fill(client: Client, size: number): Promise<void> {
  await client.query(`select setseed(0.42)`);
  await client.query(vocabularySql);
  await client.query(`insert into conversation (tenant, project, owner, cid, head)
    select 'bench', 'bench', 'ada', 'conv_' || i, ${perConversation}
      from generate_series(1, ${Math.ceil(size / perConversation)}) i`);
  await client.query('drop index snippet_words');
  for (let from = 0; from < size; from += batch) {
    const range = [from, Math.min(size, from + batch)];
    await client.query(`create temp table made as ${madeSql(range)}`);
    await client.query(blocksSql);
    await client.query(
      `insert into snippet (conv, seq, at, target, text) select conv, seq, at, 'user', text from made`,
    );
    await client.query('drop table made');
  }
  await client.query('create index snippet_words on snippet using gin (words)');
  await client.query(`insert into projection (name, dimensions, position)
    values ('${space}', ${dimensions}, 1000000000)`);
  await client.query(`insert into snippet_vector (space, conv, seq, scope, target, at, sign, vector)
    select (select id from projection), s.conv, s.seq, s.scope, s.target, s.at, ${signSql('v.vector')}, v.vector
      from snippet s cross join lateral (
        select array(select (c.vector[d] + (random() * 2 - 1) * 1.732)::real from generate_series(1, ${dimensions}) d
                      where s.id > 0) as vector
          from centre c where c.id = s.id % ${clusters}) v`);
}

export const vocabularySql = `
  create temp table syllable as select row_number() over () - 1 as n, s from unnest(
    '{ba,ke,li,mo,nu,ra,se,ti,vo,zu,da,fe,gi,ho,ju,pa,wen,rox,sal,tum}'::text[]) s;
  create temp table vocabulary as
    select i, a.s || b.s || c.s || case when i >= 8000 then d.s else '' end as word
      from generate_series(1, ${vocabulary}) i
      join syllable a on a.n = (i * 7919) % 20 join syllable b on b.n = (i * 7919 / 20) % 20
      join syllable c on c.n = (i * 7919 / 400) % 20 join syllable d on d.n = i % 20;
  create unique index on vocabulary (i);
  create temp table centre as
    select c as id, array(select ((random() * 2 - 1) * 1.732)::real from generate_series(1, ${dimensions}) where c >= 0) as vector
      from generate_series(0, ${clusters - 1}) c`;

const zipf = `least(${vocabulary}, floor(exp(random() * ln(${vocabulary})))::int)`;
const madeSql = ([from = 0, to = 0]: readonly number[]) => `
  select c.id as conv, 1 + n % ${perConversation} as seq, now() - interval '365 days' * random() as at,
         (select string_agg(v.word, ' ') from (select ${zipf} as i from generate_series(1, 15 + n % 30) where c.id > 0) x
            join vocabulary v on v.i = x.i) as text
    from generate_series(${from}, ${to - 1}) n join conversation c on c.cid = 'conv_' || 1 + n / ${perConversation}`;
const blocksSql = `insert into block (conv, seq, at, type, turn, path, body)
  select conv, seq, at, 'user.prompt', 'turn_' || seq, 'ar:turn_' || seq || '.user.prompt', '{}' from made`;

function signSql(vector: string): string {
  return `array_to_string(array(select case when x > 0 then 1 else 0 end from unnest(${vector}) x), '')::bit varying`;
}

/** Half of the queries have five snippets planted that hold their words and mean nearly the same; every third is misspelt. */
export async function plant(client: Client, queries: number): Promise<readonly Planted[]> {
  const planted: Planted[] = [];
  for (let n = 0; n < queries; n += 1) {
    const words = [9_001 + n * 97, 400 + n * 7, 20 + n].map((i) => i % vocabulary);
    const rows = await client.query<{ word: string }>(
      'select word from vocabulary where i = any ($1) order by i desc',
      [words],
    );
    const vector = await oneVector(client, n);
    const [rare = '', ...rest] = rows.rows.map(({ word }) => word);
    const ids = n % 2 === 0 ? await plantFor(client, { n, words: [rare, ...rest], vector }) : [];
    planted.push({ text: [n % 3 === 0 ? misspelt(rare) : rare, ...rest].join(' '), vector, ids });
  }
  return planted;
}

/** Two letters in the middle change places. */
function misspelt(word: string): string {
  const at = Math.floor(word.length / 2);
  return word.slice(0, at) + (word[at + 1] ?? '') + (word[at] ?? '') + word.slice(at + 2);
}

async function oneVector(client: Client, n: number): Promise<readonly number[]> {
  const { rows } = await client.query<{ x: number }>(
    `select c.vector[d] + (random() * 2 - 1) * 1.732 as x from centre c, generate_series(1, ${dimensions}) d
      where c.id = $1 order by d`,
    [n % clusters],
  );
  return rows.map(({ x }) => x);
}

async function plantFor(
  client: Client,
  { n, words, vector }: { n: number; words: readonly string[]; vector: readonly number[] },
): Promise<readonly string[]> {
  const { rows } = await client.query<{ conv: number; seq: number }>(
    `select conv, seq from snippet where id % 9973 = $1 order by id limit ${plantedEach}`,
    [n],
  );
  for (const { conv, seq } of rows) {
    await client.query('update snippet set text = $3 || text where conv = $1 and seq = $2', [
      conv,
      seq,
      `${words.join(' and then ')} `,
    ]);
    const near = vector.map((x) => x + (Math.random() * 2 - 1) * 1.732);
    await client.query(
      'update snippet_vector set vector = $3::real[], sign = $4::bit varying where conv = $1 and seq = $2',
      [conv, seq, `{${near.join(',')}}`, signs(near)],
    );
  }
  return rows.map(({ conv, seq }) => `${conv}.${seq}`);
}
