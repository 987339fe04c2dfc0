import type { Json, JsonObject } from '../../base/json.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { RuntimeHooks } from './runtime-hooks.ts';
import type { UserSecretEntry } from './user-secrets.ts';

/** An external kind a bundle declares. The door parses the payload; the timeline keeps its text. */
export type EventKind = {
  readonly kind: string;
  /** Reactive: it should make the agent act. */
  readonly reactive: boolean;
  /** Rounds added to the budget of the turn it joins. */
  readonly credit: 0 | 1;
  parse(
    payload: Json,
  ):
    | { readonly ok: true; readonly payload: Json; readonly text: string }
    | { readonly ok: false; readonly violations: readonly { path: string; message: string }[] };
};

export type BundleWidget = {
  readonly id: string;
  readonly title: string;
  /** Folder on this machine that holds index.html. */
  readonly dir: string;
  readonly main: boolean;
  /** Mimes of the canvases it shows. */
  readonly renders: readonly string[];
  readonly access: 'user' | 'public' | { readonly roles: readonly string[] };
};

export type HeaderLines = readonly (readonly [string, string])[];

/** A request as it came, with its body. */
export type OperationRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
};

export type OperationAnswer = {
  readonly status: number;
  readonly headers: HeaderLines;
  readonly body: Uint8Array;
};

export type BundleOperation = {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly access: 'user' | 'public' | { readonly roles: readonly string[] };
  readonly timeoutMs: number;
  /** JSON Schemas of what it is asked with and, where that is declared, of what it returns. */
  schemas(): { readonly input: JsonObject; readonly output?: JsonObject };
  /**
   * Verifies a caller whom nobody has identified, parses, runs and checks. What the bundle refuses or throws is an answer;
   * rejects with the reason of `signal`, or with what kept it from being asked at all.
   */
  answer(
    request: OperationRequest,
    asking: { readonly user?: string; readonly signal: AbortSignal },
  ): Promise<OperationAnswer>;
};

export type BundleJob = {
  readonly id: string;
  /** Absent: it is a queue. */
  readonly schedule?: {
    /** Tells two schedules apart. */
    readonly key: string;
    /** The first tick after a moment, both in milliseconds since the epoch. */
    next(afterMs: number): number;
  };
  readonly on: 'one' | 'each';
  readonly timeoutMs: number;
  /** How often one errand of it is begun at most. */
  readonly attempts: number;
  /** Parses and runs. Rejects with what the bundle threw or refused, or with the reason of `signal`. */
  run(input: Json, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Why a run failed, for people who look after it. */
  explain(error: unknown): string;
};

/** What an operator may change of a bundle while it serves. */
export type LiveProps = {
  /** Set over what `bundles.yaml` says, key by key, and in force. */
  readonly live: JsonObject;
  /** JSON Schema of all of them. */
  schema(): JsonObject;
  /** Refusal `invalid_input`: with these in the place of `live` they would not fit. */
  check(live: JsonObject): void;
  /** In the place of `live`, in force when it resolves. Refusal `invalid_input`: those before stay. */
  set(live: JsonObject, options: { readonly signal: AbortSignal }): Promise<void>;
};

/** One revision of a bundle, compiled and ready to serve turns. */
export type RuntimeBundle = {
  readonly id: string;
  readonly version: string;
  readonly revision: string;
  readonly title: string;
  /** The first is the default. What MCP servers offer changes them: ask anew for each round. */
  readonly agents: readonly [AgentSettings, ...AgentSettings[]];
  readonly kinds: readonly EventKind[];
  readonly widgets: readonly BundleWidget[];
  readonly operations: readonly BundleOperation[];
  /** Secrets that each user sets for themselves. */
  readonly userSecrets: readonly UserSecretEntry[];
  /** What is asked before an event is taken in. Absent: nothing. */
  readonly admitEvent?: RuntimeHooks['event'];
  readonly jobs: readonly BundleJob[];
  readonly props: LiveProps;
  /** What was left out and why, for people: broken skills, surfaces this version does not serve. */
  readonly notices: readonly string[];
  /** A turn of it is under way: what performs its tools may start. */
  warm(): void;
  /** After this revision's last run: `dispose` of the bundle, then its resources, newest first. */
  dispose(): Promise<void>;
};
