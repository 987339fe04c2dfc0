import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import {
  nearLookedMin,
  nearLookedPerCentre,
} from '../../../runtime/adapters/sql/database/limits.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { searchSnippets } from '../../../runtime/adapters/sql/search/search.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { Sender, TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { meaningOf } from '../../tools/services/embedding-wire.ts';
import { type Service, startPostgres } from '../../tools/services/services.ts';
import { newSender, prompt, request, signal } from '../timeline-store/kit.ts';

let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const topics = ['rain', 'bread', 'invoice', 'kestrel', 'tunnel', 'violin'];
const each = 40;
const space = 'test:centres';
const lookedMax = `${nearLookedMin} + ${nearLookedPerCentre} * count(*)`;
const noAbilities = { trigrams: false, vectors: false };

/** Forty conversations about each of six topics, whose vectors are kept as a worker keeps them. */
async function talk(store: TimelineStore, sender: Sender): Promise<void> {
  for (let n = 0; n < topics.length * each; n += 1) {
    const text = `${topics[n % topics.length]} ${topics[n % topics.length]} about${n}`;
    await store.accept(request(sender, { events: [prompt(text)] }), { signal });
  }
  for (;;) {
    const claimed = await store.unembedded(space, { limit: 64, ttlMs: 60_000, signal });
    if (claimed.length === 0) return;
    const vectors = claimed.map(({ text, ...key }) => ({ ...key, vector: meaningOf(text) }));
    await store.keepVectors(space, vectors, { signal });
  }
}

/** The topics of what means nearly the same, where the number of vectors to look at is limited. */
async function near(
  database: Database,
  { sender, topic, looked }: { sender: Sender; topic: string; looked: number },
) {
  const vector = { space, values: meaningOf(topic) };
  const query = { text: '-', vector, targets: ['user'], limit: 20 } as const;
  const hits = await searchSnippets(
    (sql, params) => database.query(sql.replace(lookedMax, `${looked} + 0 * count(*)`), params),
    { sender, query, abilities: noAbilities },
  );
  return hits.map(({ text }) => text.split(' ')[0]);
}

async function openWithoutVectors(kind: string): Promise<Database> {
  if (kind === 'postgres') return openPostgres({ url: server.url, log: silentLog });
  const database = await openPglite({ dir: undefined });
  await migrate(database);
  await database.script('drop extension vector');
  return database;
}

// proves: memory.centres, memory.erasure
test.each(['pglite', 'postgres'])(
  'in %s a search looks around the nearest centres first; another vector takes the place of one that is erased',
  async (kind) => {
    const database = await openWithoutVectors(kind);
    await using store = await openSqlTimelineStore(database);
    const sender = newSender();
    await talk(store, sender);
    const [placed] = await database.query(
      `select count(*)::int as vectors, count(distinct v.centre)::int as centres,
              count(*) filter (where c.centre is null)::int as lost
         from snippet_vector v left join snippet_centre c using (space, scope, centre)`,
      [],
    );
    const { vectors, centres, lost } = placed as Record<string, number>;
    expect({ vectors, lost }).toEqual({ vectors: topics.length * each, lost: 0 });
    expect(centres).toBeLessThan(topics.length * each);
    for (const topic of topics) {
      expect(await near(database, { sender, topic, looked: 20 })).toEqual(Array(20).fill(topic));
    }
    await database.query(
      `delete from snippet s using snippet_centre c where s.id = c.snippet and c.centre % 2 = 0`,
      [],
    );
    const erased = await database.query(
      `select from snippet_centre c where c.sign is not null
          and not exists (select from snippet s join snippet_vector v using (conv, seq)
                           where s.id = c.snippet and v.centre = c.centre and v.sign = c.sign)`,
      [],
    );
    expect(erased).toEqual([]);
    const [left] = await database.query(
      `select count(distinct v.centre)::int as n from snippet_vector v join snippet_centre c using (space, scope, centre)
        where c.sign is null`,
      [],
    );
    expect(left).toEqual({ n: 0 });
    expect((await near(database, { sender, topic: 'bread', looked: 20 }))[0]).toBe('bread');
  },
);
