import type { JobStore } from '../../../engine/ports/jobs.ts';
import type { EntryStore } from '../../../sdk/compile/host/key-value-store.ts';
import type { TimelineStore } from '../../../timeline/ports/store.ts';
import type { Database } from '../database/database.ts';
import { createSqlErasures } from './erasures.ts';
import { createSqlJobs } from './jobs.ts';
import { createSqlOverview } from './overview.ts';
import { createSqlStorage } from './storage.ts';

/** Besides timelines, a database stores the values of bundles and the queues of their jobs. */
export type SideStores = { readonly values: EntryStore; readonly jobs: JobStore };
export type OwnedSideStores = AsyncDisposable & SideStores;

/** What reads and writes beside the logs. */
export function createSideStores(
  database: Database,
): SideStores & Pick<TimelineStore, 'erasures' | 'overview'> {
  return {
    values: createSqlStorage(database),
    jobs: createSqlJobs(database),
    erasures: createSqlErasures(database),
    overview: createSqlOverview(database),
  };
}
