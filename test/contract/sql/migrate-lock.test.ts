import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { createDatabase, type Service, startPostgres } from '../../tools/services/services.ts';

let server: Service;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

const limits = { lockWaitMs: 100, lockTriesMax: 3 };

/** A database of the newest schema but one migration, which needs a lock that another session can hold. */
async function databaseBehind(name: string): Promise<string> {
  const url = await createDatabase(server.url, name);
  await using database = openPostgres({ url, log: silentLog });
  await migrate(database);
  await database.script('delete from migration where number > 13; drop table function_set;');
  return url;
}

// proves: store.migration-lock
test('a migration behind a lock that another session keeps gives up, and names the session', async () => {
  const url = await databaseBehind('kept_lock');
  await using database = openPostgres({ url, log: silentLog });
  const other = new Client({ connectionString: url, application_name: 'a-report' });
  await other.connect();
  await other.query('begin; lock table migration in share mode');
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid;
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
  const failure: unknown = await migrate(database, { ...limits, log }).catch((error) => error);
  expect(failure).toMatchObject({ code: 'MIGRATION_BLOCKED', kind: 'transient' });
  expect(String(failure)).toContain(`${pid} (a-report, idle in transaction`);
  expect(String(failure)).toContain('pg_terminate_backend');
  // One more for each try whose own session was still ending when the sessions at work were counted.
  expect(warnings.length).toBeGreaterThanOrEqual(2);
  expect(new Set(warnings)).toEqual(new Set(['a migration waits for a lock']));
  await other.query('rollback');
  await migrate(database, limits);
  await other.end();
});

// proves: store.migration-lock
test('a session that holds the lock of migrations and does nothing stops a start only for a limited time', async () => {
  const url = await databaseBehind('idle_peer');
  await using database = openPostgres({ url, log: silentLog });
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('begin; select pg_advisory_xact_lock(7411406)');
  await expect(migrate(database, limits)).rejects.toThrow(/MIGRATION_BLOCKED.*idle in transaction/);
  await other.query('rollback');
  await migrate(database, limits);
  await other.query('begin; select pg_advisory_xact_lock(7411406)');
  await migrate(database, limits);
  await other.end();
});
