import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { runs } from '../../tools/runs.ts';

const columns = '$1::text as text, $2::text[] as texts, $3::bigint as whole, $4::float8 as number';
const same = `select ${columns}, $5::bool as yes, '{"a":1}'::text as json, null::text as none`;
const fails = 'select 1 / $1::int as never';
const changing = 'select * from changing where id = $1';
const inserting = 'insert into changing (id) values ($1)';

let database: Database;

beforeAll(async () => {
  const prepared = { same, fails, changing, inserting };
  database = await openPglite({ dir: undefined, prepared });
  await database.script('create table changing (id bigint primary key, name text)');
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
});

// proves: store.prepared
test('a prepared statement of the embedded database gives the same rows as any other', async () => {
  const text = fc.string({ unit: 'binary-ascii' }).map((each) => each.replaceAll('\0', ''));
  const texts = fc.array(fc.oneof(text, fc.constantFrom(null, '', 'NULL', 'a"b\\c', '{,}', '😀')));
  await fc.assert(
    fc.asyncProperty(
      fc.option(text),
      fc.option(texts),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true }),
      fc.boolean(),
      async (...params) => {
        const rows = await database.query(same, params);
        expect(rows).toEqual(await database.query(`${same} -- not prepared`, params));
        expect(rows).toMatchObject([{ text: params[0], texts: params[1], whole: params[2] }]);
      },
    ),
    runs(60),
  );
});

// proves: store.prepared
test('a prepared statement that fails says why, and runs again', async () => {
  await expect(database.query(fails, [0])).rejects.toThrow(/division by zero/);
  expect(await database.query(fails, [1])).toEqual([{ never: 1 }]);
});

// proves: store.prepared
test('a result of the embedded database whose columns a migration has changed is still read', async () => {
  expect(await database.query(inserting, [1])).toEqual([]);
  expect(await database.query(changing, [1])).toEqual([{ id: 1, name: null }]);
  await database.script('alter table changing add column more text');
  expect(await database.query(changing, [1])).toEqual([{ id: 1, name: null, more: null }]);
});
