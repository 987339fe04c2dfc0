import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { toConversationKey, toSeq } from '../../../runtime/timeline/ids.ts';
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

const connect = () => openPostgres({ url: server.url, log: silentLog });
const say = (store: TimelineStore, sender: Sender, text: string) =>
  store.accept(request(sender, { events: [prompt(text)] }), { signal });

async function embedAll(store: TimelineStore, space: string): Promise<void> {
  for (;;) {
    const claimed = await store.unembedded(space, { limit: 20, ttlMs: 60_000, signal });
    if (claimed.length === 0) return;
    const vectors = claimed.map(({ text, ...key }) => ({ ...key, vector: meaningOf(text) }));
    await store.keepVectors(space, vectors, { signal });
  }
}

async function count(database: Database, sql: string): Promise<unknown> {
  const [row] = await database.query(`select count(*)::int as n from ${sql}`, []);
  return (row as { n: number }).n;
}

// proves: memory.erasure
test('with the snippets of a conversation go its vectors, and the words that nobody else used', async () => {
  const database = connect();
  await using store = await openSqlTimelineStore(database);
  const sender = newSender();
  const space = newSender().tenant;
  const { key = toConversationKey(0) } = await say(
    store,
    sender,
    'the secret password is xylophonist',
  );
  await say(store, newSender(), 'a password of another');
  await embedAll(store, space);
  const late = { key, seq: toSeq(2), id: 1, vector: meaningOf('late') };
  await database.query('delete from snippet where conv = $1', [key]);
  expect(await count(database, `snippet_vector where conv = ${key}`)).toBe(0);
  expect(await count(database, `lexicon where word = 'xylophonist'`)).toBe(0);
  expect(await count(database, `lexicon where word = 'password'`)).toBe(1);
  await store.keepVectors(space, [late], { signal });
  expect(await count(database, `snippet_vector where conv = ${key}`)).toBe(0);
});

test('a conversation that is marked as erased is found no more, before anything of it is removed', async () => {
  const database = connect();
  await using store = await openSqlTimelineStore(database);
  const sender = newSender();
  const { key = toConversationKey(0), conversation } = await say(
    store,
    sender,
    'the rainfall of Seattle',
  );
  await database.query('update conversation set erased_at = clock_timestamp() where id = $1', [
    key,
  ]);
  const query = { text: 'rainfall', targets: ['user'], limit: 5 } as const;
  expect(await store.search(sender, query, { signal })).toEqual([]);
  expect(await store.search(sender, { ...query, conversation }, { signal })).toEqual([]);
  const page = { targets: ['user'], order: 'asc', offset: 0, limit: 5 } as const;
  expect(await store.turns(sender, page, { signal })).toEqual({ total: 0, rows: [] });
});

test('words that everybody uses rank and do not retrieve; of nothing else the newest come', async () => {
  const database = connect();
  await using store = await openSqlTimelineStore(database);
  const sender = newSender();
  for (let n = 0; n < 40; n += 1) await say(store, sender, `the common words of day ${n}`);
  await say(store, sender, 'the marsupial');
  await database.query('analyze snippet', []);
  await database.query(`update pg_class set reltuples = 1e5 where oid = 'snippet'::regclass`, []);
  const find = async (text: string) => {
    const query = { text, targets: ['user'], limit: 5 } as const;
    return (await store.search(sender, query, { signal })).map((hit) => hit.text);
  };
  expect((await find('the marsupial of common words'))[0]).toBe('the marsupial');
  expect(await find('the common')).toHaveLength(5);
});

test('a common word that stands near a rare one counts more than one that stands apart', async () => {
  const database = connect();
  await using store = await openSqlTimelineStore(database);
  const sender = newSender();
  for (let n = 0; n < 40; n += 1) await say(store, sender, `a common word of day ${n}`);
  await say(store, sender, 'an echidna common to one two three four five six seven');
  await say(store, sender, 'an echidna to one two three four five six seven common');
  await database.query('analyze snippet', []);
  await database.query(`update pg_class set reltuples = 1e5 where oid = 'snippet'::regclass`, []);
  const query = { text: 'common echidna', targets: ['user'], limit: 1 } as const;
  const [hit] = await store.search(sender, query, { signal });
  expect(hit?.text).toBe('an echidna common to one two three four five six seven');
});

/** The spaces are compared by pgvector where it is installed, else by signs and then by all components. */
test.each(['pglite', 'postgres'])(
  'in %s the nearest of many vectors is found, and a space of its own for each model',
  async (kind) => {
    const database = kind === 'pglite' ? await openPglite({ dir: undefined }) : connect();
    await using store = await openSqlTimelineStore(database);
    const sender = newSender();
    const spaces = [newSender().tenant, newSender().tenant];
    for (let n = 0; n < 60; n += 1) await say(store, sender, `word${n} word${n + 1} word${n + 2}`);
    await say(store, sender, 'the bread of Seattle');
    for (const space of spaces) await embedAll(store, space);
    const near = async (space: string, text: string) => {
      const vector = { space, values: meaningOf(text) };
      const query = {
        text: '-',
        vector,
        targets: ['user'],
        limit: 3,
        weights: { recency: 0 },
      } as const;
      return (await store.search(sender, query, { signal })).map((hit) => hit.text);
    };
    for (const space of spaces) {
      expect((await near(space, 'seattle sourdough'))[0]).toBe('the bread of Seattle');
      expect((await near(space, 'word40 word41 word42'))[0]).toBe('word40 word41 word42');
    }
  },
);
