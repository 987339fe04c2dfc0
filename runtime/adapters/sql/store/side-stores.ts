import type { JobStore } from '../../../engine/ports/jobs.ts';
import type { EntryStore } from '../../../sdk/compile/host/key-value-store.ts';
import type { Database } from '../database/database.ts';
import { createSqlJobs } from './jobs.ts';
import { createSqlStorage } from './storage.ts';

/** Besides timelines, a database stores the values of bundles and the queues of their jobs. */
export type SideStores = { readonly values: EntryStore; readonly jobs: JobStore };
export type OwnedSideStores = AsyncDisposable & SideStores;

export function createSideStores(database: Database): SideStores {
  return { values: createSqlStorage(database), jobs: createSqlJobs(database) };
}
