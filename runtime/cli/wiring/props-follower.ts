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
  /** The serving bundles. */
  bundles(): readonly RuntimeBundle[];
};

/** Applies props that operators set in another process. */
export function followProps(parts: Parts, { signal }: { signal: AbortSignal }): BackgroundLoop {
  const { clock, log } = parts;
  // Logged once per revision, because another revision may accept these props.
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
      if (failures === 0) log.warn('cannot read props set in another process', { error });
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
  // The props changed here during the read, so the read value may be older.
  if (props.live !== live) return;
  if (isDeepStrictEqual(kept, live) || isDeepStrictEqual(kept, refused.get(props))) return;
  try {
    await props.set(kept, { signal });
    log.info('props from another process applied', { bundle });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refused.set(props, kept);
    log.warn('props from another process rejected', { bundle, because: error.message });
  }
}
