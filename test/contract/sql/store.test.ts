import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Param } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { statements } from '../../../runtime/adapters/sql/rows/statements.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { Fault } from '../../../runtime/base/fault.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { toSeq } from '../../../runtime/timeline/ids.ts';
import { type Service, startPostgres } from '../../tools/services/services.ts';
import {
  append,
  log,
  newSender,
  prompt,
  request,
  signal,
  started,
  thought,
} from '../timeline-store/kit.ts';
import { dumpSchema } from './schema-dump.ts';

const golden = '../../golden/schema.sql';
let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const connect = () => openPostgres({ url: server.url, log: silentLog });

// proves: store.migrations
test('racing migrations make the golden schema once', async () => {
  const databases = [connect(), connect(), connect()];
  await Promise.all(databases.map((each) => migrate(each)));
  await using database = connect();
  await migrate(database);
  await expect(await dumpSchema(database)).toMatchFileSnapshot(golden);
  await Promise.all(databases.map((each) => each[Symbol.asyncDispose]()));
});

test('the embedded Postgres has the same schema', async () => {
  await using database = await openPglite({ dir: undefined });
  await migrate(database);
  await expect(await dumpSchema(database)).toMatchFileSnapshot(golden);
});

test('a database that is newer than the program is left alone', async () => {
  await using database = connect();
  await migrate(database);
  await database.query('insert into migration (number) values (999)', []);
  await expect(migrate(database)).rejects.toThrow(/MIGRATION_FAILED.*update the program/);
  await database.query('delete from migration where number = 999', []);
});

test('without trigrams search goes by words', async () => {
  await using database = connect();
  await migrate(database);
  await database.script('drop extension pg_trgm cascade;');
  await using store = await openSqlTimelineStore(database);
  const sender = newSender();
  await store.accept(request(sender), { signal });
  const query = { text: 'hello', targets: ['user'], limit: 5 } as const;
  expect(await store.search(sender, query, { signal })).toHaveLength(1);
  await database.script(
    'create extension pg_trgm; create index lexicon_alike on lexicon using gin (word gin_trgm_ops);',
  );
});

test('search finds misspelt words, and ranks what matches in both ways first', async () => {
  await using store = await openSqlTimelineStore(connect());
  const sender = newSender();
  const say = (text: string) =>
    store.accept(request(sender, { events: [prompt(text)] }), { signal });
  await say('the rainfall of Seattle');
  await say('a recipe for sourdough bread');
  await say('rain again');
  const find = async (text: string) => {
    const query = { text, targets: ['user'], limit: 5 } as const;
    return (await store.search(sender, query, { signal })).map((hit) => hit.text);
  };
  expect(await find('sourdoh bred')).toEqual(['a recipe for sourdough bread']);
  expect(await find('raining')).toContain('rain again');
  expect((await find('rainfall of Seattle'))[0]).toBe('the rainfall of Seattle');
});

test('a server that dies is a transient fault without the words of people, and is found again when it is back', async () => {
  await using store = await openSqlTimelineStore(connect());
  const sender = newSender('a-secret-name');
  const accepted = await store.accept(request(sender), { signal });
  await server.kill();
  const failure = await store.accept(request(sender), { signal }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'STORE_UNAVAILABLE', kind: 'transient' });
  expect(inspected(failure)).not.toContain('a-secret-name');
  await server.start();
  const row = await store.find(sender, accepted.conversation, { signal });
  expect(row?.head).toBe(2);
});

// proves: store.clock
test('a clock that is set back does not reorder a log, nor keep anybody waiting', async () => {
  await using database = connect();
  const store = await openSqlTimelineStore(database);
  const { key, lease, sender, conversation } = await started(store);
  // What was written last is an hour ahead of the clock now, as after the clock was set back.
  await database.query(`update conversation set last_at = last_at + interval '1 hour'`, []);
  await database.query(`update block set at = at + interval '1 hour' where conv = $1`, [key]);
  await store.append(key, append(lease), { signal });
  await store.accept(request(sender, { conversation }), { signal });
  const at = (await log(store, key)).map((block) => block.at);
  expect(at).toEqual(at.toSorted());
  const names = { conversation, at: toSeq(3), newConversation: 'conv_later' };
  const fork = await store.fork(sender, names, { signal });
  expect(fork).toMatchObject({ status: 'forked' });
  await store.release(key, { fence: lease.fence, signal });
  const due = await store.sweep({ worker: 'w', limit: 99, ttlMs: 1_000, signal });
  expect(due.map(({ row }) => row.id)).toEqual(
    expect.arrayContaining([conversation, 'conv_later']),
  );
});

// proves: store.read-by-index
test('a page and a path are read by an index alone, of a fork, too', async () => {
  await using database = connect();
  const store = await openSqlTimelineStore(database);
  const { key, lease, sender, conversation } = await started(store);
  const blocks = Array.from({ length: 3_000 }, (_, index) => thought(lease, `${index}`));
  await store.append(key, append(lease, { blocks }), { signal });
  const names = { conversation, at: toSeq(2_000), newConversation: 'conv_indexed' };
  const fork = await store.fork(sender, names, { signal });
  if (fork.status !== 'forked') throw new Error(fork.status);
  await database.script('analyze block; analyze conversation;');
  const planOf = async (sql: string, params: readonly Param[]) =>
    JSON.stringify(await database.query(`explain ${sql}`, params));
  for (const of of [key, fork.row.key]) {
    for (const [sql, params] of [
      [statements.read, [of, 1_990, 1_000]],
      [statements.atPath, [of, 'ar:x']],
    ] as const) {
      const plan = await planOf(sql, params);
      expect(plan).toContain('Index Scan');
      expect(plan).not.toContain('Seq Scan on block');
    }
  }
});

test('a reply that is lost is asked for again, and an append is not doubled', async () => {
  await using database = connect();
  let losses = 0;
  const losing: Database = {
    ...database,
    query: async (sql, params) => {
      const rows = await database.query(sql, params);
      if (losses === 0) return rows;
      losses -= 1;
      throw new Fault('STORE_UNAVAILABLE');
    },
  };
  const store = await openSqlTimelineStore(losing);
  const { key, lease } = await started(store);
  losses = 1;
  const reply = await store.append(key, append(lease), { signal });
  expect(reply).toMatchObject({ status: 'ok', firstSeq: 3, head: 3 });
  losses = 1;
  expect(await log(store, key)).toHaveLength(3);
  losses = 2;
  await expect(log(store, key)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});

function inspected(error: unknown): string {
  return JSON.stringify(error, Object.getOwnPropertyNames(error));
}
