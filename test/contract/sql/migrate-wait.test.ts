import { Client } from 'pg';
import { expect, test } from 'vitest';
import { openPostgres } from '../../../runtime/adapters/sql/database/postgres.ts';
import { migrate } from '../../../runtime/adapters/sql/migrations/migrate.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { startPostgres } from '../../tools/services/services.ts';

test('a migration waits for that of another process, and takes as long as it takes', async () => {
  await using postgres = await startPostgres();
  await using database = openPostgres({
    url: `${postgres.url}&statement_timeout=2000`,
    log: silentLog,
  });
  const slow = "select 'slow' where pg_sleep(3) is not null";
  await expect(database.query(slow, [])).rejects.toThrow();
  const other = new Client({ connectionString: postgres.url });
  await other.connect();
  await other.query('begin; select pg_advisory_xact_lock(7411406)');
  const over = { is: false };
  const migrating = migrate(database).finally(() => {
    over.is = true;
  });
  migrating.catch(() => undefined);
  const waiting = `select 1 from pg_locks, pg_sleep(0.5) where locktype = 'advisory' and not granted`;
  while (!over.is && (await other.query(waiting)).rowCount === 0);
  await other.query('select pg_sleep(3); commit');
  await migrating;
  expect(await database.query('select count(*) > 0 as done from migration', [])).toEqual([
    { done: true },
  ]);
  await database.script(slow);
  await expect(database.query(slow, []), 'any other statement has its limit').rejects.toThrow();
  await other.end();
});
