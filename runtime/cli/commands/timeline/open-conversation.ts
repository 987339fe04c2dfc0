import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../../../adapters/system/log.ts';
import { isFault } from '../../../base/fault.ts';
import type { Log } from '../../../base/log.ts';
import { Refusal } from '../../../base/refusal.ts';
import { Scope } from '../../../base/scope.ts';
import { type OpenLog, readLog } from '../../../engine/inspect/open-log.ts';
import { type Config, readConfig } from '../../config/config.ts';
import { socketBlocksMax } from '../../server/limits.ts';
import { type CommandStore, connectRemoteStore } from '../../server/remote-store.ts';
import { openBlobs } from '../../wiring/open-blobs.ts';
import { openPorts } from '../../wiring/open-ports.ts';

/** One conversation, opened for reading, and the store that it is in. */
export type StoredConversation = OpenLog & { readonly store: CommandStore };

/** The stores of this installation, with its tenant and project. */
export type InstallationStores = Pick<StoredConversation, 'store' | 'blobs'> & {
  readonly tenant: string;
  readonly project: string;
};

/** Opens the stores, runs `work` and closes them. If a server holds the data directory, reads through that server. */
export async function withStores(
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
  const { tenant, project } = config;
  return await work({ ...(await openStores(config, { scope, log })), tenant, project });
}

/** Like `withStores`, with all blocks of a conversation. `user` selects among conversations with the same id. Throws Refusal `not_found` if there is none. */
export function withConversation(
  { id, user }: { readonly id: string; readonly user: string | undefined },
  { signal }: { signal: AbortSignal },
  work: (log: StoredConversation) => Promise<number>,
): Promise<number> {
  return withStores(async ({ store, blobs, tenant, project }) => {
    const owner = { tenant, project, ...(user !== undefined && { user }) };
    const row = await store.find(owner, id, { signal });
    if (!row)
      throw new Refusal('not_found', `conversation ${id} not found in ${tenant}/${project}`);
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
