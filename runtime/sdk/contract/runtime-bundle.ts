import type { Json, JsonObject } from '../../base/json.ts';
import type { ToolSpec } from '../../tools/ports/tool.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { AdmitEvent } from './runtime-hooks.ts';
import type { UserSecretEntry } from './user-secrets.ts';

/** An external event kind that a bundle declares. The gateway parses the payload; the timeline keeps its text. */
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

/** A request as it was received, with its body. */
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
  /** JSON Schemas of the input and, if declared, of the output. */
  schemas(): { readonly input: JsonObject; readonly output?: JsonObject };
  /**
   * Verifies an anonymous caller, parses the input, runs the operation and checks the output. Refusals and errors of the
   * bundle become answers. Rejects with the reason of `signal`, or with the error that kept the operation from starting.
   */
  answer(
    request: OperationRequest,
    asking: { readonly user?: string; readonly signal: AbortSignal },
  ): Promise<OperationAnswer>;
};

export type BundleJob = {
  readonly id: string;
  /** Absent: the job is a queue. */
  readonly schedule?: {
    /** Identifies the schedule: pattern and time zone. */
    readonly key: string;
    /** The first tick after a moment, both in milliseconds since the epoch. */
    next(afterMs: number): number;
  };
  readonly on: 'one' | 'each';
  readonly timeoutMs: number;
  /** Maximum number of attempts for one queued item. */
  readonly attempts: number;
  /** Parses the input and runs the job. Rejects with the error or refusal of the bundle, or with the reason of `signal`. */
  run(input: Json, options: { readonly signal: AbortSignal }): Promise<void>;
  /** Why a run failed, as text for operators. */
  explain(error: unknown): string;
};

/** What a bundle offers to MCP clients under one address. */
export type BundleEndpoint = {
  readonly id: string;
  readonly access: BundleOperation['access'];
  /** Verifies the callers of a public endpoint. */
  readonly verifier?: BundleOperation;
  /** Makes the calls that clients send. Clients cannot address it in any other way. */
  readonly caller: AgentSettings;
  /** The tools of `caller` that clients may call. */
  readonly tools: readonly ToolSpec[];
  /** The agents that clients may ask. */
  readonly agents: readonly { readonly settings: AgentSettings; readonly description: string }[];
};

/** What an operator can change in a bundle while it serves. */
export type LiveProps = {
  /** The values in force that override `bundles.yaml`, key by key. */
  readonly live: JsonObject;
  /** JSON Schema of all props. */
  schema(): JsonObject;
  /** Refusal `invalid_input`: the props would not be valid with these values in place of `live`. */
  check(live: JsonObject): void;
  /** Replaces `live`. The values are in force when this resolves. Refusal `invalid_input`: the previous values stay in force. */
  set(live: JsonObject, options: { readonly signal: AbortSignal }): Promise<void>;
};

/** Props that each user sets for themselves. They override those of the operator for this user only. */
export type UserProps = {
  /** JSON Schema of these props; without properties if the bundle has none. */
  schema(): JsonObject;
  /** The operator's values of these props, which apply to users who have set nothing. */
  readonly shared: JsonObject;
  /** Refusal `invalid_input`: users do not set these keys, or the props would not be valid with these values. */
  check(own: JsonObject): void;
  /** The values of `own` that are in force: without those that do not fit. */
  fitting(own: JsonObject): JsonObject;
};

/** One revision of a bundle, compiled and ready to serve turns. */
export type RuntimeBundle = {
  readonly id: string;
  readonly version: string;
  readonly revision: string;
  readonly title: string;
  /** The first is the default. The offers of MCP servers change them, so read this again for each round. */
  readonly agents: readonly [AgentSettings, ...AgentSettings[]];
  readonly kinds: readonly EventKind[];
  readonly widgets: readonly BundleWidget[];
  readonly operations: readonly BundleOperation[];
  /** As `agents`: read this again for each request. */
  readonly endpoints: readonly BundleEndpoint[];
  /** Secrets that each user sets for themselves. */
  readonly userSecrets: readonly UserSecretEntry[];
  /** Runs before an event is accepted. Absent: the bundle has no event hooks. */
  readonly admitEvent?: AdmitEvent;
  readonly jobs: readonly BundleJob[];
  readonly props: LiveProps;
  readonly userProps: UserProps;
  /** What was left out and why, as text for people: broken skills, surfaces that this version does not serve. */
  readonly notices: readonly string[];
  /** A turn of this bundle has started: the process that runs its tools may start. */
  warm(): void;
  /** After this revision's last run: `dispose` of the bundle, then its resources, newest first. */
  dispose(): Promise<void>;
};
