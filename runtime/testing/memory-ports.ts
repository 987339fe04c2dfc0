import { createStoredFacts } from '../adapters/facts/stored-facts.ts';
import { openMemoryBlobStore } from '../adapters/memory/blob-store.ts';
import { openMemoryBus } from '../adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../adapters/memory/timeline-store.ts';
import { createUserSecrets } from '../adapters/secrets/user-secrets.ts';
import { randomIds } from '../adapters/system/ids.ts';
import type { Clock } from '../base/clock.ts';
import type { Scope } from '../base/scope.ts';
import type { Ports } from '../cli/wiring/open-runtime.ts';
import { createMemoryStorage } from '../sdk/compile/host/key-value-store.ts';
import { failureLog } from './failure-log.ts';
import { withWaitReminders } from './wait-reminder.ts';

/** All ports in memory. The store's own clock can be advanced without affecting the other ports. */
export function openMemoryPorts(
  clock: Clock,
  scope: Scope,
): { ports: Ports; storeClock: Clock; passStoreTime(ms: number): void } {
  let aheadMs = 0;
  const storeClock: Clock = {
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic() + aheadMs,
    sleep: (ms, options) => clock.sleep(ms, options),
  };
  const storage = createMemoryStorage(() => clock.now());
  const ports = {
    store: withWaitReminders(scope.own(openMemoryTimelineStore({ clock: storeClock }))),
    storage,
    userSecrets: createUserSecrets({ storage, log: failureLog, secret: async () => 'a test key' }),
    memory: createStoredFacts({ storage, clock, log: failureLog }),
    blobs: scope.own(openMemoryBlobStore()),
    bus: scope.own(openMemoryBus()),
    clock,
    ids: randomIds,
    log: failureLog,
  };
  const passStoreTime = (ms: number) => {
    aheadMs += ms;
  };
  return { ports, storeClock, passStoreTime };
}
