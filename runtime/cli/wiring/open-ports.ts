import { join } from 'node:path';
import { openLocalBus } from '../../adapters/local/bus.ts';
import { openPgliteTimelineStore, openPostgresTimelineStore } from '../../adapters/sql/open.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomIds } from '../../adapters/system/ids.ts';
import { makePrivateFolder } from '../../base/folders.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { Config } from '../config/config.ts';
import { openBlobs } from './open-blobs.ts';
import type { Ports } from './open-runtime.ts';
import { openStoredServices } from './open-stored-services.ts';

type Options = {
  readonly scope: Scope;
  readonly log: Log;
  /** Called when another process has taken over the data directory; reads and writes fail from then on. */
  readonly onLost?: (fault: Error) => void;
};

/**
 * Opens store, blobs and bus as configured, by default an embedded database and an in-process bus. The database also
 * holds the storage and jobs of bundles.
 */
export async function openPorts(
  config: Config,
  { scope, log, onLost = () => undefined }: Options,
): Promise<Ports & { readonly jobs: JobStore }> {
  const { dataDir, databaseUrl } = config;
  await makePrivateFolder(dataDir);
  const store = databaseUrl
    ? await openPostgresTimelineStore({ url: databaseUrl, log })
    : await openPgliteTimelineStore({ dir: join(dataDir, 'timeline'), onLost });
  scope.own(store);
  const blobs = scope.own(await openBlobs(config));
  const bus = scope.own(await openBus(config, { log }));
  const { values: storage, jobs } = store;
  const stored = await openStoredServices(config, { storage, log });
  const services = { clock: systemClock, ids: randomIds, log };
  return { store, storage, jobs, blobs, bus, ...stored, ...services };
}

async function openBus({ dataDir, redisUrl }: Config, { log }: { readonly log: Log }) {
  if (redisUrl === undefined) return await openLocalBus({ dir: join(dataDir, 'frames'), log });
  const { openRedisBus } = await import('../../adapters/redis/bus.ts');
  return await openRedisBus({ url: redisUrl, log });
}
