import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import type { JobStore } from '../../engine/ports/jobs.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { ServedSurface } from '../../sdk/contract/surface.ts';
import type { UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { ProjectScope, TimelineStore } from '../../timeline/ports/store.ts';
import type { Allowance } from '../input/rate-limit.ts';
import type { BundleDirectory } from './bundle-directory.ts';
import type { FileRules } from './file-rules.ts';
import type { AuthMode } from './tokens.ts';

/** Whether anybody uses the process. */
export type Presence = {
  /** A connected client or a running turn, until it is disposed of. */
  enter(): Disposable;
};

export type GatewayDeps = {
  readonly store: TimelineStore;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** Stores uploads until they are complete. */
  readonly storage: KeyValueStore;
  /** Secrets that users set for themselves. */
  readonly userSecrets: UserSecrets;
  /** Whose counts `/metrics` shows. */
  readonly jobs?: Pick<JobStore, 'counts'>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly auth: AuthMode;
  /** The tenant and project of this installation. */
  readonly scope: ProjectScope;
  readonly bundles: BundleDirectory;
  readonly limits?: {
    /** Messages of one user, and requests of one user to operations. */
    readonly user?: Allowance | undefined;
    /** Unauthenticated requests, by address; undefined: unlimited, 0: none. */
    readonly anonymousPerHour?: number | undefined;
  };
  readonly files?: FileRules;
  readonly presence?: Presence;
  /** Messengers in which people write to agents. */
  readonly surfaces?: readonly ServedSurface[];
  /** Facts for `/health` that the gateway does not know itself: model, sandbox, version. */
  health(): JsonObject | Promise<JsonObject>;
  /** Counts for `/metrics` that the gateway does not know itself. */
  metrics?(): Readonly<Record<string, number>>;
};
