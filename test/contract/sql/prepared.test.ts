import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { statements } from '../../../runtime/adapters/sql/rows/statements.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import type { TimelineStore } from '../../../runtime/timeline/ports/store.ts';
import { type Service, startPostgres } from '../../tools/services/services.ts';
import { append, log, newSender, request, signal, started } from '../timeline-store/kit.ts';

let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** One statement at a time uses one connection of the pool. */
async function open(): Promise<{
  database: Database;
  store: TimelineStore & AsyncDisposable;
  warnings: unknown[];
}> {
  const warnings: unknown[] = [];
  const heard = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const database = openPostgres({ url: server.url, log: heard, prepared: statements });
  return { database, store: await openSqlTimelineStore(database), warnings };
}

const preparedIn = async (database: Database) =>
  (await database.query('select name from pg_prepared_statements', [])).map(
    (row) => (row as { name: string }).name,
  );

// proves: store.prepared
test('a connection parses the statements of the timeline once', async () => {
  const { database, store } = await open();
  await using _store = store;
  const sender = newSender();
  const { conversation } = await store.accept(request(sender), { signal });
  await store.find(sender, conversation, { signal });
  expect(await preparedIn(database)).toEqual(expect.arrayContaining(['accept', 'find']));
});

// proves: store.prepared
test('a connection that another one took the place of writes once, and without prepared statements from then on', async () => {
  const { database, store, warnings } = await open();
  await using _store = store;
  const { key, lease } = await started(store);
  await store.append(key, append(lease, { op: 'op_1' }), { signal });
  await database.query('deallocate all', []);
  const reply = await store.append(key, append(lease, { op: 'op_2' }), { signal });
  expect(reply).toMatchObject({ status: 'ok', firstSeq: 4, head: 4 });
  expect(await log(store, key)).toHaveLength(4);
  expect(await preparedIn(database)).toEqual([]);
  expect(warnings).toEqual(['prepared statements are not used any more']);
});

// proves: store.prepared
test('a result whose columns a migration has changed is still read', async () => {
  const { database, store } = await open();
  await using _store = store;
  const sender = newSender();
  const { conversation } = await store.accept(request(sender), { signal });
  await store.find(sender, conversation, { signal });
  await database.script('alter table conversation alter column title type varchar');
  expect(await store.find(sender, conversation, { signal })).toMatchObject({ id: conversation });
});
