import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionsMax } from '../../../runtime/adapters/sql/database/limits.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openPostgresTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { type Service, startPostgres } from '../../tools/services/services.ts';
import { signal, started } from '../timeline-store/kit.ts';

let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

// proves: store.urgent-renewals
test('leases are renewed while all other connections are busy, and while another writer holds the row of one', async () => {
  await using store = await openPostgresTimelineStore({ url: server.url });
  const owned = await Promise.all([started(store), started(store), started(store)]);
  await using other = openPostgres({ url: server.url, log: silentLog });
  const [first] = owned;
  const held = other.query(
    'with held as materialized (select id from conversation where id = $1 for update) select pg_sleep(3) from held',
    [first.key],
  );
  const locks = `select count(*) as locked from pg_locks where relation = 'conversation'::regclass and mode = 'RowShareLock'`;
  await expect.poll(() => other.query(locks, [])).toEqual([{ locked: 1 }]);
  // Each waits for the row, on a connection of its own.
  const waiting = Array.from({ length: connectionsMax }, () =>
    store.setPinned(owned[0].key, true, { signal }),
  );
  const [, second, third] = owned;
  const renewed = Promise.all(
    [second, third].map(async ({ key, lease: { fence } }) => {
      const row = await store.renew(key, { fence, ttlMs: 10_000, signal });
      return row !== undefined;
    }),
  );
  const late = Promise.all([held, ...waiting]).then(() => 'late');
  expect(await Promise.race([renewed, late])).toEqual([true, true]);
  await late;
});
