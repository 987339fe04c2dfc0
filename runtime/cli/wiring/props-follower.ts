import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import { BackgroundLoop } from '../../engine/maintenance/background-loop.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import { storedProps } from '../../sdk/compile/lifecycle/live-props.ts';
import type { LiveProps, RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { livePropsPollMs } from './limits.ts';

type Parts = {
  readonly storage: KeyValueStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly place: ProjectScope;
  /** Those that serve now. */
  bundles(): readonly RuntimeBundle[];
};

/** Brings into this process what operators set of its bundles in another one. */
export function followProps(parts: Parts, { signal }: { signal: AbortSignal }): BackgroundLoop {
  const { clock, log } = parts;
  // Told once: another revision may take what this one refuses.
  const refused = new WeakMap<LiveProps, JsonObject>();
  return new BackgroundLoop({
    ...{ clock, signal },
    step: async (work) => {
      for (const { id, props } of parts.bundles()) {
        await follow({ ...parts, bundle: id, props, refused, signal: work });
      }
      return livePropsPollMs;
    },
    onFailure: (error, failures) => {
      if (failures === 0) log.warn('whether props were set elsewhere is not known', { error });
      return livePropsPollMs;
    },
  });
}

type FollowOptions = Pick<Parts, 'storage' | 'log' | 'place'> & {
  readonly bundle: string;
  readonly props: LiveProps;
  readonly refused: WeakMap<LiveProps, JsonObject>;
  readonly signal: AbortSignal;
};

async function follow(following: FollowOptions): Promise<void> {
  const { storage, log, place, bundle, props, refused, signal } = following;
  const { live } = props;
  const kept = await storedProps(storage, { place, bundle });
  // Set here while it was read: what was read may be older.
  if (props.live !== live) return;
  if (isDeepStrictEqual(kept, live) || isDeepStrictEqual(kept, refused.get(props))) return;
  try {
    await props.set(kept, { signal });
    log.info('props set elsewhere', { bundle });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refused.set(props, kept);
    log.warn('props set elsewhere do not fit here', { bundle, because: error.message });
  }
}
