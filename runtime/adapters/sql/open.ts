import { type Log, silentLog } from '../../base/log.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import type { Database } from './database/database.ts';
import { databaseImage } from './database/database-image.ts';
import { openPglite, type PgliteOptions } from './database/pglite.ts';
import { toFlag } from './rows/rows.ts';
import { statements } from './rows/statements.ts';
import { createSqlJobs, jobRenewal } from './store/jobs.ts';
import type { OwnedSideStores } from './store/side-stores.ts';
import { openSqlTimelineStore } from './store/timeline-store.ts';

/** Opens a timeline store in a local directory, or in memory without one. See `openPglite` for its faults. */
export async function openPgliteTimelineStore(
  options: PgliteOptions,
): Promise<TimelineStore & OwnedSideStores> {
  const database = await openPglite({ image: databaseImage(), prepared: statements, ...options });
  return await over(database, { prepare: () => dropLeases(database) });
}

/** Only one process can hold the directory, so holders of old leases are dead, and their leases need not expire first. */
async function dropLeases(database: Database): Promise<void> {
  for (const table of ['conversation', 'job']) {
    await database.query(
      `update ${table} set lease_by = null, lease_until = null where lease_by is not null`,
      [],
    );
  }
}

/** The jobs of a database as it is, without a migration; undefined if it has none. The caller owns the database. */
export async function openStoredJobs(database: Database): Promise<JobStore | undefined> {
  const [known] = await database.query(`select to_regclass('job_failure') is not null as yes`, []);
  return toFlag(known) ? createSqlJobs(database) : undefined;
}

/** Opens a timeline store on a Postgres server (15 or newer). Fault `STORE_UNAVAILABLE` if it cannot be reached. */
export async function openPostgresTimelineStore({
  url,
  log = silentLog,
}: {
  url: string;
  log?: Log;
}): Promise<TimelineStore & OwnedSideStores> {
  const { openPostgres } = await import('./database/postgres.ts');
  // Renewals that wait behind other statements would lose their leases.
  const urgent = [statements.renewAll, jobRenewal];
  return await over(openPostgres({ url, log, prepared: statements, urgent }), { log });
}

async function over(
  database: Database,
  {
    log = silentLog,
    prepare = async () => undefined,
  }: { log?: Log; prepare?: () => Promise<void> },
): Promise<TimelineStore & OwnedSideStores> {
  try {
    const store = await openSqlTimelineStore(database, { log });
    await prepare();
    return store;
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
