import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { openPgliteTimelineStore } from '../../../runtime/adapters/sql/open.ts';
import { openSqlTimelineStore } from '../../../runtime/adapters/sql/store/timeline-store.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { Scope } from '../../../runtime/base/scope.ts';
import { createMemoryStorage } from '../../../runtime/sdk/compile/host/key-value-store.ts';
import { openDatabase } from '../../tools/services/shared-postgres.ts';
import { type KeyValueUnderTest, keyValueContract } from '../key-value.ts';

keyValueContract('memory', async () => {
  let now = 0;
  const store = createMemoryStorage(() => now);
  return {
    near: store,
    far: store,
    pass: async (ms) => {
      now += ms;
    },
    fill: async (space, count) => {
      for (let n = 1; n <= count; n += 1) await store.set(space, `k${n}`, { value: 1 });
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
});

keyValueContract('pglite', async () => {
  const scope = new Scope();
  const database = await openPglite({ dir: undefined });
  const { values } = scope.own(await openSqlTimelineStore(database));
  return sqlUnderTest(database, { near: values, far: values, scope });
});

keyValueContract('postgres', async () => {
  const scope = new Scope();
  const url = await openDatabase();
  const [one, other] = [
    openPostgres({ url, log: silentLog }),
    openPostgres({ url, log: silentLog }),
  ];
  const near = scope.own(await openSqlTimelineStore(one)).values;
  const far = scope.own(await openSqlTimelineStore(other)).values;
  return sqlUnderTest(one, { near, far, scope });
});

type Ends = Pick<KeyValueUnderTest, 'near' | 'far'> & { readonly scope: Scope };

/** The database's clock is moved on by waiting alone. */
function sqlUnderTest(database: Database, { near, far, scope }: Ends): KeyValueUnderTest {
  return {
    near,
    far,
    pass: (ms) => setTimeout(ms + 5),
    fill: async (space, count) => {
      await database.query(
        `insert into stored_value select $1, storage_place($1), 'k' || n, '1' from generate_series(1, $2::int) n`,
        [space, count],
      );
    },
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}

// proves: storage.durable
test('a value is there for the next process that opens the data directory', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'timeloom-values-'));
  {
    await using store = await openPgliteTimelineStore({ dir });
    await store.values.set('space', 'k', { value: { n: 1 } });
  }
  {
    await using store = await openPgliteTimelineStore({ dir });
    expect(await store.values.get('space', 'k')).toEqual({ n: 1 });
  }
  await rm(dir, { recursive: true });
});

// proves: storage.ttl
test('rows whose time is over are removed by the writes of others, some at a time', async () => {
  const database = await openPglite({ dir: undefined });
  await using store = await openSqlTimelineStore(database);
  await database.query(
    `insert into stored_value select 's', storage_place('s'), 'k' || n, '1', clock_timestamp()
       from generate_series(1, 250) n`,
    [],
  );
  const left: unknown[] = [];
  for (let n = 0; n < 3; n += 1) {
    await store.values.set('another', 'k', { value: 1 });
    const [row] = await database.query('select count(*)::int as n from stored_value', []);
    left.push(row);
  }
  expect(left).toEqual([{ n: 151 }, { n: 51 }, { n: 1 }]);
});
