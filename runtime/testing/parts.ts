import { openMemoryBlobStore } from '../adapters/memory/blob-store.ts';
import { openMemoryBus } from '../adapters/memory/bus.ts';
import { openMemoryTimelineStore } from '../adapters/memory/timeline-store.ts';
import { randomIds } from '../adapters/system/ids.ts';
import type { Clock } from '../base/clock.ts';
import { type Log, silentLog } from '../base/log.ts';
import { Refusal } from '../base/refusal.ts';
import type { Scope } from '../base/scope.ts';
import { environment } from '../cli/config.ts';
import type { Ports } from '../cli/open-runtime.ts';
import { openSandbox } from '../cli/open-sandbox.ts';
import { platformTools } from '../cli/platform-tools.ts';
import { createMemoryStorage } from '../sdk/compile/storage.ts';
import type { Platform } from '../sdk/compile/toolbox.ts';

export type ExecChoice = 'off' | 'process' | 'docker';

/** Everything in memory; the store's own clock can be moved on without the rest noticing. */
export function openParts(
  clock: Clock,
  scope: Scope,
): { ports: Ports; storeClock: Clock; passStoreTime(ms: number): void } {
  let aheadMs = 0;
  const storeClock: Clock = {
    now: () => clock.now() + aheadMs,
    monotonic: () => clock.monotonic() + aheadMs,
    sleep: (ms, options) => clock.sleep(ms, options),
  };
  const ports = {
    store: scope.own(openMemoryTimelineStore({ clock: storeClock })),
    storage: createMemoryStorage(() => clock.now()),
    blobs: scope.own(openMemoryBlobStore()),
    bus: scope.own(openMemoryBus()),
    clock,
    ids: randomIds,
    log: silentLog,
  };
  const passStoreTime = (ms: number) => {
    aheadMs += ms;
  };
  return { ports, storeClock, passStoreTime };
}

/** The runtime's tools. Refusal `exec_unavailable` where programs are wanted and nothing can isolate them. */
export async function openPlatform(
  { blobs, clock, ids, log }: Ports & { readonly log: Log },
  { exec, scope }: { readonly exec: ExecChoice; readonly scope: Scope },
): Promise<Platform> {
  const { sandbox, libraries, refusal } = await openSandbox({
    mode: exec,
    dockerHost: environment()['DOCKER_HOST'] || undefined,
    ...{ blobs, clock, log, scope },
  });
  if (exec !== 'off' && !sandbox) throw new Refusal('exec_unavailable', refusal ?? 'no sandbox');
  return platformTools({ sandbox, libraries, refusal, blobs, ids, clock });
}
