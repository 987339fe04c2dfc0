import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../runtime/adapters/sql/database/database.ts';
import { openPglite } from '../../../runtime/adapters/sql/database/pglite.ts';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import {
  type FunctionSet,
  readFunctionSet,
} from '../../../runtime/adapters/sql/functions/function-set.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { migrations } from '../../../runtime/adapters/sql/migrations/numbered-migrations.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { createDatabase, type Service, startPostgres } from '../../tools/services/services.ts';
import { dumpSchema } from './schema-dump.ts';

let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const golden = readFileSync(join(import.meta.dirname, '../../golden/schema.sql'), 'utf8');

const openers = {
  pglite: () => openPglite({ dir: undefined }),
  postgres: async (name: string) =>
    openPostgres({ url: await createDatabase(server.url, name), log: silentLog }),
};

/** The functions of the schema that no extension brought. */
const functionsOf = async (database: Database) =>
  (await database.query(
    `select p.proname as name, pg_get_functiondef(p.oid) as text from pg_proc p
      where p.pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = p.oid and deptype = 'e') order by 1`,
    [],
  )) as readonly { name: string; text: string }[];

const revisionsOf = async (database: Database) =>
  await database.query('select revision, hash from function_set order by revision', []);

/** A program with one more function text; its revision and hash are its own. */
function programWith(revision: number, answer: string): FunctionSet {
  const now = readFunctionSet();
  const text = `${now.text} create or replace function iso_utc(p_at timestamptz) returns text language sql immutable
    as $f$ select '${answer}' $f$;`;
  return { ...now, revision, hash: `sha256:${answer}`, text };
}

const answerOf = async (database: Database) =>
  (await database.query('select iso_utc(now()) as answer', []))[0];

describe.each(Object.entries(openers))('in %s', (kind, open) => {
  let database: Database;

  beforeAll(async () => {
    database = await open(`functions_${kind}`);
    await migrate(database);
  });
  afterAll(async () => {
    await database[Symbol.asyncDispose]();
  });

  // proves: store.functions
  test('a new database has exactly the functions of the files', async () => {
    const { names, revision, hash } = readFunctionSet();
    const functions = await functionsOf(database);
    expect(functions.map(({ name }) => name)).toEqual(names.toSorted());
    expect(await revisionsOf(database)).toEqual([{ revision, hash }]);
  });

  // proves: store.functions
  test('a database from before there were function files ends with their functions', async () => {
    await using earlier = await open(`functions_earlier_${kind}`);
    await earlier.script('create table migration (number int primary key);');
    await earlier.script(`${migrations.slice(0, 13).join('')}
      insert into migration select generate_series(1, 13);
      create function memory_near_1() returns int language sql as $f$ select 1 $f$;`);
    expect(await dumpSchema(earlier)).not.toBe(golden);
    await migrate(earlier);
    expect(await dumpSchema(earlier)).toBe(golden);
  });

  // proves: store.functions
  test('functions that cannot be applied change nothing', async () => {
    const broken = programWith(1_001, 'broken');
    const failing = { ...broken, text: `${broken.text} create function (` };
    await expect(migrate(database, { functions: failing })).rejects.toThrow(/MIGRATION_FAILED/);
    expect(await answerOf(database)).not.toEqual({ answer: 'broken' });
    expect(await revisionsOf(database)).toHaveLength(1);
  });

  // proves: store.functions
  test('of two versions on one database the newer functions stay, whichever program starts last', async () => {
    const older = programWith(1_001, 'older');
    const newer = programWith(1_002, 'newer');
    await migrate(database, { functions: older });
    expect(await answerOf(database)).toEqual({ answer: 'older' });
    await migrate(database, { functions: newer });
    await migrate(database, { functions: older });
    await migrate(database);
    expect(await answerOf(database)).toEqual({ answer: 'newer' });
    const revisions = (await revisionsOf(database)) as { revision: number }[];
    expect(revisions.map(({ revision }) => revision)).toEqual([
      readFunctionSet().revision,
      1_001,
      1_002,
    ]);
  });
});
