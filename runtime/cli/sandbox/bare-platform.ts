import { openMemoryBlobStore } from '../../adapters/memory/blob-store.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { randomIds } from '../../adapters/system/ids.ts';
import type { Scope } from '../../base/scope.ts';
import type { Platform } from '../../sdk/compile/agents/toolbox.ts';
import { createMemoryStorage, type KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import { noWeb, openWeb } from './open-web.ts';
import { platformTools } from './platform-tools.ts';

/** A platform for checks, where nothing runs: every tool exists by name only. */
export function openBarePlatform(scope: Scope): { platform: Platform; storage: KeyValueStore } {
  const blobs = scope.own(openMemoryBlobStore());
  const web = openWeb(noWeb, systemClock);
  const parts = { sandbox: undefined, refusal: undefined, blobs };
  return {
    platform: platformTools({ ...parts, web, ids: randomIds, clock: systemClock }),
    storage: createMemoryStorage(() => systemClock.now()),
  };
}
