import { createMem0Memory } from '../../adapters/facts/mem0.ts';
import { createStoredFacts } from '../../adapters/facts/stored-facts.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Log } from '../../base/log.ts';
import type { EntryStore } from '../../sdk/compile/host/key-value-store.ts';
import type { LongTermMemory } from '../../tools/ports/long-term-memory.ts';
import { openUserSecrets } from '../bundles/user-secrets.ts';
import type { Config } from '../config/config.ts';
import { openConfiguredEmbedder } from '../models/models.ts';
import { openSpending } from './open-spending.ts';

type Parts = { readonly storage: EntryStore; readonly log: Log };

/** Services that keep their data in the storage of the installation. */
export async function openStoredServices(config: Config, parts: Parts) {
  return {
    userSecrets: openUserSecrets(config, parts),
    spending: openSpending(config, { ...parts, clock: systemClock }),
    memory: await openMemory(config, parts),
  };
}

/** The long-term memory, as configured: in the database, or on a server. */
async function openMemory(config: Config, { storage, log }: Parts): Promise<LongTermMemory> {
  if (config.memory) return createMem0Memory(config.memory);
  // A worker opens it as well, and then reports what is missing. A gateway without the key still lists and forgets facts.
  const embedder = await openConfiguredEmbedder(config).catch(() => undefined);
  return createStoredFacts({ storage, embedder, clock: systemClock, log });
}
