import { type Log, silentLog } from '../../base/log.ts';
import type { TimelineStore } from '../../timeline/store.ts';
import type { Database } from './database.ts';
import { openPglite, type PgliteOptions } from './pglite.ts';
import { openPostgres } from './postgres.ts';
import { openSqlTimelineStore } from './timeline-store.ts';

/** The timeline in a directory of this machine, or in memory without one. See `openPglite` for its faults. */
export async function openPgliteTimelineStore(
  options: PgliteOptions,
): Promise<TimelineStore & AsyncDisposable> {
  return await over(await openPglite(options));
}

/** The timeline in a Postgres server (15 or newer). Fault `STORE_UNAVAILABLE` when it cannot be reached. */
export async function openPostgresTimelineStore({
  url,
  log = silentLog,
}: {
  url: string;
  log?: Log;
}): Promise<TimelineStore & AsyncDisposable> {
  return await over(openPostgres({ url, log }));
}

async function over(database: Database): Promise<TimelineStore & AsyncDisposable> {
  try {
    return await openSqlTimelineStore(database);
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}
