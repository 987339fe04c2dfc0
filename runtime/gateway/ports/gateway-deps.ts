import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { Bus } from '../../engine/ports/bus.ts';
import type { Spending } from '../../engine/spending/spending.ts';
import type { ServedSurface } from '../../sdk/contract/surface.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import type { Dispatch } from '../../tools/ports/dispatch.ts';
import type { Allowance } from '../input/rate-limit.ts';
import type { BundleDirectory, CheckBundle } from './bundle-directory.ts';
import type { EvalReports } from './eval-reports.ts';
import type { FileRules } from './file-rules.ts';
import type { GatewayStores } from './gateway-stores.ts';
import type { AuthMode } from './tokens.ts';

/** Whether anybody uses the process. */
export type Presence = {
  /** A connected client or a running turn, until it is disposed of. */
  enter(): Disposable;
};

/** The models of this installation. */
export type NamedModels = {
  /** Those that the configuration and the bundles name. */
  refs(): readonly string[];
  /** Faults `MODEL_NOT_CONFIGURED`, `MODEL_KEY_MISSING`, `SCRIPT_INVALID`. */
  openNamed(ref: string): Promise<void>;
};

export type GatewayDeps = GatewayStores & {
  readonly bus: Bus;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly auth: AuthMode;
  /** The tenant and project of this installation. */
  readonly scope: ProjectScope;
  readonly bundles: BundleDirectory;
  /** Other tenants and projects that it serves, with bundles of their own. */
  readonly projects?: readonly Pick<GatewayDeps, 'scope' | 'bundles' | 'surfaces'>[] | undefined;
  readonly limits?: {
    /** Messages of one user, and requests of one user to operations. */
    readonly user?: Allowance | undefined;
    /** Unauthenticated requests, by address; undefined: unlimited, 0: none. */
    readonly anonymousPerHour?: number | undefined;
  };
  readonly files?: FileRules;
  /** Absent: no message may name an address that performs its functions. */
  readonly dispatch?: Dispatch | undefined;
  readonly presence?: Presence;
  /** What users and tenants may spend. Absent: unlimited. */
  readonly spending?: Spending | undefined;
  /** Absent: the workbench shows no evals. */
  readonly evals?: EvalReports | undefined;
  /** Absent: the workbench checks no bundles. */
  readonly checkBundle?: CheckBundle | undefined;
  /** Absent: no turn can be run again with a model that it names. */
  readonly models?: NamedModels | undefined;
  /** Messengers in which people write to agents. */
  readonly surfaces?: readonly ServedSurface[];
  /** Facts for `/health` that the gateway does not know itself: model, sandbox, version. */
  health(): JsonObject | Promise<JsonObject>;
  /** Counts for `/metrics` that the gateway does not know itself. */
  metrics?(): Readonly<Record<string, number>>;
};
