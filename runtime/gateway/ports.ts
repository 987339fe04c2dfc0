import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import type { Log } from '../base/log.ts';
import type { Bus } from '../engine/ports/bus.ts';
import type { KeyValueStore } from '../sdk/compile/storage.ts';
import type { BundleOperation, BundleWidget, EventKind, LiveProps } from '../sdk/runtime-bundle.ts';
import type { RuntimeHooks } from '../sdk/runtime-hooks.ts';
import type { UserSecretEntry, UserSecrets } from '../sdk/user-secrets.ts';
import type { BlobStore } from '../timeline/blobs.ts';
import type { Scope, TimelineStore } from '../timeline/store.ts';
import type { Allowance } from './rate.ts';

export type DeclaredKind = Pick<EventKind, 'reactive' | 'credit' | 'parse'>;
export type ServedWidget = BundleWidget;
export type ServedBundle = {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Ids; the first is the default. */
  readonly agents: readonly string[];
  readonly widgets: readonly ServedWidget[];
};

/** What the front door must know about bundles. Answers may change while it runs: bundles are reloaded. */
export interface BundleDirectory {
  /** Where a message goes that names no bundle. */
  default(): { readonly bundle: string; readonly agent: string };
  /** The agent that serves, `agent` or the bundle's first. Undefined: there is no such bundle or agent. */
  agent(bundle: string, agent?: string): string | undefined;
  kind(bundle: string, kind: string): DeclaredKind | undefined;
  bundles(): readonly ServedBundle[];
  widgets(bundle: string): readonly ServedWidget[];
  operation(bundle: string, id: string): BundleOperation | undefined;
  operations(bundle: string): readonly BundleOperation[];
  /** What an operator may change of a bundle while it serves. Undefined: there is no such bundle, or it has no props. */
  props(bundle: string): LiveProps | undefined;
  /** Secrets that each user sets for themselves. Undefined: there is no such bundle. */
  userSecrets(bundle: string): readonly UserSecretEntry[] | undefined;
  /** What the hooks of a bundle say of an event, before it is taken in. Undefined: it has none there. */
  admitEvent(bundle: string): RuntimeHooks['event'];
  /** Bundles with such hooks. */
  admitting(): readonly string[];
}

/** What a token says. `untilMs`: wall time from which on it says nothing any more. */
export type TokenFacts = {
  readonly user: string;
  /** Those it is for; undefined: it does not say. */
  readonly tenants: readonly string[] | undefined;
  readonly projects: readonly string[] | undefined;
  readonly roles: readonly string[];
  readonly untilMs: number;
};

/** Reads what visitors present. Refusals `unauthenticated` and `forbidden`, Fault `ISSUER_UNREACHABLE`. */
export interface Tokens {
  read(token: string, options: { signal: AbortSignal }): Promise<TokenFacts>;
}

/** `dev`: whoever reaches the loopback is who they say they are. `jwt`: a signed token says who. */
export type AuthMode =
  | { readonly mode: 'dev'; readonly origins?: readonly string[] }
  | {
      readonly mode: 'jwt';
      readonly tokens: Tokens;
      /** Pages of other origins that are allowed, as browsers spell them. */
      readonly origins: readonly string[];
    };

/** Undefined: nothing was found in it; else what was. Fault `SCANNER_UNREACHABLE`: nobody knows. */
export type Scan = (
  bytes: AsyncIterable<Uint8Array>,
  options: { readonly size: number; readonly signal: AbortSignal },
) => Promise<string | undefined>;

/** What is asked of files that come in. Undefined: what the gateway has for everybody. */
export type FileRules = {
  /** Of one image, one PDF, one text, one file of any other type, and all files of a message. */
  readonly imageBytes?: number | undefined;
  readonly pdfBytes?: number | undefined;
  readonly textBytes?: number | undefined;
  readonly fileBytes?: number | undefined;
  readonly messageBytes?: number | undefined;
  readonly pdfPages?: number | undefined;
  /** Absent: files are not looked into. */
  readonly scan?: Scan | undefined;
};

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
  readonly scope: Scope;
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
