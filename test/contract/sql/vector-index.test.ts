import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { nearExactMax } from '../../../runtime/adapters/sql/database/limits.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { searchSnippets } from '../../../runtime/adapters/sql/search/search.ts';
import { placeVectors } from '../../../runtime/adapters/sql/search/vector-index.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { toSeq } from '../../../runtime/timeline/ids.ts';
import type { Sender, TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { meaningOf } from '../../tools/services/embedding-wire.ts';
import { newSender, prompt, request, signal } from '../timeline-store/kit.ts';

const topics = ['rain', 'bread', 'invoice', 'kestrel', 'tunnel', 'violin'];
const each = 25;
/** How many vectors are compared without the index. */
const none = 0;
const all = 1_000_000;

async function talk(store: TimelineStore, sender: Sender, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const topic = topics[n % topics.length] ?? '';
    const text = `${topic} ${topic} about${n}`;
    await store.accept(request(sender, { events: [prompt(text)] }), { signal });
  }
}

type Range = { readonly sender: Sender; readonly space: string };
type Embed = (text: string) => readonly number[];

/** Embeds everything, until the store has nothing left to do. */
async function embedAll(store: TimelineStore, space: string, embed: Embed): Promise<void> {
  for (;;) {
    const claimed = await store.unembedded(space, { limit: 64, ttlMs: 60_000, signal });
    if (claimed.length === 0) return;
    const vectors = claimed.map(({ text, ...key }) => ({ ...key, vector: embed(text) }));
    await store.keepVectors(space, vectors, { signal });
  }
}

async function found(
  store: TimelineStore,
  { sender, ...more }: Range & { topic: string; conversation?: string },
): Promise<readonly string[]> {
  const { space, topic, conversation } = more;
  const vector = { space, values: meaningOf(topic) };
  const query = { text: '-', vector, targets: ['user'], limit: 20 } as const;
  const range = conversation === undefined ? query : { ...query, conversation };
  return (await store.search(sender, range, { signal })).map(({ text }) => text);
}

/** The topics found by a search that takes every user for one with many vectors. */
async function topicsFoundAmongMany(
  database: Database,
  { sender, space, topic }: Range & { topic: string },
): Promise<readonly (string | undefined)[]> {
  const vector = { space, values: meaningOf(topic) };
  const query = { text: '-', vector, targets: ['user'], limit: 20 } as const;
  const hits = await searchSnippets(
    (sql, params) =>
      database.query(
        sql,
        params.map((param) => (param === nearExactMax ? none : param)),
      ),
    { sender, query, abilities: { trigrams: false, vectors: true } },
  );
  return hits.map(({ text }) => text.split(' ')[0]);
}

/** Moves everything into the index, which a space of this size would not have. */
async function placeAll(database: Database, space: string): Promise<void> {
  do await placeVectors(database, space, { exactMax: none });
  while ((await countOf(database, centresOf(space))) > 0);
}

const centresOf = (space: string) =>
  `snippet_centre c join projection p on p.id = c.space where p.name = '${space}'`;

/** What the search function itself returns for a vector, with the index or without. */
async function nearest(
  database: Database,
  { sender, space, ...more }: Range & { values: readonly number[]; exactMax: number },
): Promise<readonly { key: string; near: number }[]> {
  const { tenant, project, user } = sender;
  const rows = await database.query(
    `select n.conv || '.' || n.seq as key, n.near from projection p, lateral memory_near(p.id, p.dimensions, $2::real[],
       memory_scope($4, $5, $6), null, null, array['user'], null, null, null, null, 10, $3::int) n where p.name = $1`,
    [space, `{${more.values.join(',')}}`, more.exactMax, tenant, project, user],
  );
  return rows as { key: string; near: number }[];
}

const countOf = async (database: Database, sql: string) =>
  ((await database.query(`select count(*)::int as n from ${sql}`, []))[0] as { n: number }).n;

describe('with pgvector', () => {
  let database: Database;

  beforeAll(async () => {
    database = await openPglite({ dir: undefined });
    await migrate(database);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  // proves: memory.vector-index
  test('vectors from before it was installed are found, move into the index, and leave no centre behind', async () => {
    await database.script('drop extension vector');
    const before = await openSqlTimelineStore(database);
    const [sender, other, space] = [newSender(), newSender(), newSender().tenant];
    await talk(before, sender, topics.length * each);
    await talk(before, other, 3);
    await embedAll(before, space, meaningOf);
    await database.script('create extension vector');
    const store = await openSqlTimelineStore(database);
    const bread = Array(20).fill('bread');
    const among = { sender, space, topic: 'bread' };
    const topicsFound = async () => (await found(store, among)).map((text) => text.split(' ')[0]);
    expect(await topicsFound()).toEqual(bread);
    expect(await topicsFoundAmongMany(database, among)).toEqual(bread);
    await placeVectors(database, space, { exactMax: topics.length * each + 3 });
    expect(await countOf(database, 'projection where indexed'), 'a small space').toBe(0);
    await placeAll(database, space);
    expect(await countOf(database, 'snippet_vector where centre <> 0')).toBe(0);
    expect(await topicsFound()).toEqual(bread);
    expect(await topicsFoundAmongMany(database, among)).toEqual(bread);
    for (const topic of topics) {
      const values = meaningOf(topic);
      const byIndex = await nearest(database, { sender, space, values, exactMax: none });
      const exact = await nearest(database, { sender, space, values, exactMax: all });
      expect(byIndex.map(({ near }) => near.toFixed(5))).toEqual(
        exact.map(({ near }) => near.toFixed(5)),
      );
    }
    await talk(store, sender, 1);
    await embedAll(store, space, meaningOf);
    expect(await countOf(database, centresOf(space))).toBe(0);
  });

  // proves: memory.vector-index
  test('while vectors are moved into the index, a user with many of them finds those that are in it and the others', async () => {
    const store = await openSqlTimelineStore(database);
    const [sender, space] = [newSender(), newSender().tenant];
    await talk(store, sender, topics.length * 4);
    await embedAll(store, space, meaningOf);
    await placeAll(database, space);
    const moved = `v.centre = 0 and v.space = p.id and p.name = '${space}'`;
    await database.script(
      `update snippet_vector v set centre = 7 from projection p where ${moved} and v.conv % 2 = 0;
       insert into snippet_centre (space, scope, centre) select distinct space, scope, 7::bigint
         from snippet_vector where centre = 7;`,
    );
    const hits = await topicsFoundAmongMany(database, { sender, space, topic: 'bread' });
    expect(hits.slice(0, 4)).toEqual(Array(4).fill('bread'));
  });

  // proves: memory.vector-index
  test('vectors are found when it was removed again', async () => {
    const [sender, space] = [newSender(), newSender().tenant];
    const indexing = await openSqlTimelineStore(database);
    await talk(indexing, sender, 12);
    await embedAll(indexing, space, meaningOf);
    await placeAll(database, space);
    await database.script('drop extension vector cascade');
    const store = await openSqlTimelineStore(database);
    const hits = await found(store, { sender, space, topic: 'kestrel' });
    expect(hits.slice(0, 2).map((text) => text.split(' ')[0])).toEqual(['kestrel', 'kestrel']);
    await database.script('create extension vector');
  });

  // proves: memory.vector-index
  test('a fork is searched like any conversation: with what it shares, and nothing that came later elsewhere', async () => {
    const store = await openSqlTimelineStore(database);
    const [sender, space] = [newSender(), newSender().tenant];
    const say = async (text: string, conversation?: string) => {
      const more = conversation === undefined ? {} : { conversation };
      return store.accept(request(sender, { ...more, events: [prompt(text)] }), { signal });
    };
    const { conversation } = await say('kestrel shared');
    const names = { conversation, at: toSeq(2), newConversation: `fork_${space}` };
    await store.fork(sender, names, { signal });
    await say('kestrel later in the parent', conversation);
    await say('kestrel in the fork', names.newConversation);
    await embedAll(store, space, meaningOf);
    const inFork = await found(store, {
      ...{ sender, space, topic: 'kestrel' },
      conversation: names.newConversation,
    });
    expect(inFork.toSorted()).toEqual(['kestrel in the fork', 'kestrel shared']);
    const inParent = await found(store, { sender, space, topic: 'kestrel', conversation });
    expect(inParent.toSorted()).toEqual(['kestrel later in the parent', 'kestrel shared']);
  });

  // proves: memory.vector-index
  test.each([
    ['as they are', 64],
    ['in half precision', 3_000],
    ['by their signs', 4_096],
  ])('vectors are indexed %s if they have %i components', async (_, components) => {
    const store = await openSqlTimelineStore(database);
    const [sender, space] = [newSender(), newSender().tenant];
    const embed: Embed = (text) => waves(text.length * 31 + text.charCodeAt(0), components);
    await talk(store, sender, 30);
    await embedAll(store, space, embed);
    await placeAll(database, space);
    const indexes = `pg_indexes i join projection p on i.indexname = 'snippet_near_' || p.id where p.name = '${space}'`;
    expect(await countOf(database, indexes)).toBe(1);
    const values = embed('kestrel kestrel about3');
    const [best] = await nearest(database, { sender, space, values, exactMax: none });
    const [exact] = await nearest(database, { sender, space, values, exactMax: all });
    expect(best?.near).toBeCloseTo(exact?.near ?? 0, 3);
    expect(best?.near).toBeGreaterThan(0.99);
  });
});

/** A vector that depends on the seed alone, with components of both signs. */
function waves(seed: number, components: number): readonly number[] {
  return Array.from({ length: components }, (_, index) => Math.sin(seed * (index + 1) * 0.7));
}
