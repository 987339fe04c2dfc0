import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../../../adapters/system/log.ts';
import { isFault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Scope } from '../../../base/scope.ts';
import { type OpenLog, readLog } from '../../../engine/inspect/open-log.ts';
import type { ProjectScope } from '../../../timeline/ports/store.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { nameOf, placesOf } from '../../config/projects/project-settings.ts';
import { socketBlocksMax } from '../../server/limits.ts';
import { type CommandStore, connectRemoteStore } from '../../server/remote-store.ts';
import { openBlobs } from '../../wiring/open-blobs.ts';
import { openPorts } from '../../wiring/open-ports.ts';

/** One conversation, opened for reading, and the store that it is in. */
export type StoredConversation = OpenLog & { readonly store: CommandStore };

/** The stores of this installation, and the projects to look in. */
export type InstallationStores = Pick<StoredConversation, 'store' | 'blobs'> & {
  readonly places: readonly ProjectScope[];
};
type Owner = {
  readonly user: string | undefined;
  /** `<tenant>/<project>`; undefined: every project of the installation. */
  readonly project?: string | undefined;
};

/** Opens the stores, runs `work` and closes them. If a server holds the data directory, reads through that server. */
export async function withStores(
  named: string | undefined,
  work: (stores: InstallationStores) => Promise<number>,
): Promise<number> {
  const config = readConfig();
  // Reading must not create a database.
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'timeline')))
    throw new Refusal(
      'not_found',
      `no timeline found in ${config.dataDir}; check TIMELOOM_DATA_DIR`,
    );
  await using scope = new Scope();
  const log = scope.own(openLog({ level: 'error' }));
  const all = placesOf(config);
  const places = all.filter((each) => named === undefined || nameOf(each) === named);
  if (places.length === 0) {
    const served = all.map(nameOf).join(', ');
    throw new Refusal('not_found', `${named} is not served here; projects: ${served}`);
  }
  return await work({ ...(await openStores(config, { scope, log })), places });
}

/** Like `withStores`, with all blocks of a conversation. `user` selects among conversations with the same id. Throws Refusal `not_found` if there is none. */
export function withConversation(
  { id, user, project: named }: Owner & { readonly id: string },
  { signal }: { signal: AbortSignal },
  work: (log: StoredConversation) => Promise<number>,
): Promise<number> {
  return withStores(named, async ({ store, blobs, places }) => {
    let row: StoredConversation['row'] | undefined;
    for (const place of places)
      row ??= await store.find({ ...place, ...(user !== undefined && { user }) }, id, { signal });
    if (!row) {
      const where = places.map(nameOf).join(', ');
      throw new Refusal('not_found', `conversation ${id} not found in ${where}`);
    }
    const blocks = await readLog(store, row, { pageBlocks: socketBlocksMax, signal });
    return work({ row, blocks, store, blobs, signal });
  });
}

async function openStores(
  config: Config,
  parts: { scope: Scope; log: Log },
): Promise<Pick<StoredConversation, 'store' | 'blobs'>> {
  try {
    return await openPorts(config, parts);
  } catch (error) {
    if (!isFault(error) || error.code !== 'DATA_DIR_HELD') throw error;
    const store = await connectRemoteStore(config.dataDir);
    if (store === undefined) throw error;
    return { store, blobs: parts.scope.own(await openBlobs(config)) };
  }
}
