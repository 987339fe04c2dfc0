import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ProjectScope, TimelineStore } from '../../timeline/ports/store.ts';
import type { Allowance } from '../input/rate-limit.ts';
import type { BundleDirectory } from './bundle-directory.ts';
import type { FileRules } from './file-rules.ts';
import type { AuthMode } from './tokens.ts';

export type GatewayDeps = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** Files on their way in, until they are whole. */
  readonly storage: KeyValueStore;
  /** What users set for themselves. */
  readonly userSecrets: UserSecrets;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly auth: AuthMode;
  /** The one tenant and project this installation serves. */
  readonly scope: ProjectScope;
  readonly bundles: BundleDirectory;
  readonly limits?: {
    /** Messages of one user, and their requests to operations. */
    readonly user?: Allowance | undefined;
    /** Requests without a user, by address; undefined: any number, 0: none. */
    readonly anonymousPerHour?: number | undefined;
  };
  readonly files?: FileRules;
  /** What `/health` tells besides what the gateway knows itself: model, sandbox, version. */
  health(): JsonObject | Promise<JsonObject>;
};
