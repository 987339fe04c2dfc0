import type { Json } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import type { TurnBudget } from '../../../tools/ports/turn-budget.ts';
import type { AgentSettings, OutputSchema } from '../../contract/agent-settings.ts';
import type { EventKind } from '../../contract/runtime-bundle.ts';
import type { AdmitEvent } from '../../contract/runtime-hooks.ts';
import type { BundleDefinition } from '../../define/bundle.ts';
import type { Awaitable, Ids, Sent } from '../../define/context.ts';
import type { RoleName } from '../../define/model.ts';
import type { BundleProps } from '../settings/bundle-props.ts';
import type { KeyValueStore } from './key-value-store.ts';
import type { Mask } from './mask.ts';
import type { ResourcePool } from './resource-pool.ts';
import type { RunBundleScript } from './scripts.ts';
import type { ToolServers } from './tool-servers.ts';

export type GenerateRequest = {
  readonly role: RoleName;
  readonly prompt: string;
  readonly output?: AnswerSchema;
};

/** Like an agent's output schema, but `parse` may be asynchronous because the schema may live in another process. */
export type AnswerSchema = Pick<OutputSchema, 'schema'> & {
  parse(value: Json): Awaitable<ReturnType<OutputSchema['parse']>>;
};

/** An event that the bundle sends, not parsed yet, and the agent that answers if it opens a turn. */
export type EventToSend = {
  readonly kind: EventKind;
  readonly given: Json;
  readonly conversation: string;
  readonly messageId?: string;
  readonly agent: string;
  /** The bundle's event hooks. */
  readonly admit?: AdmitEvent;
};
/** Feedback of a bundle on a turn, not parsed yet. */
export type FeedbackToGive = {
  readonly conversation: string;
  readonly turn: string;
  readonly reaction: 'ok' | 'not_ok' | 'neutral' | null;
  readonly text?: string;
  readonly confidence?: number;
  readonly name?: string;
  readonly messageId?: string;
};
export type TaskPlace = { readonly task: string; readonly conversation: string };
export type TaskEnding = TaskPlace & { readonly ret?: Json; readonly error?: string };
export type TaskStatus = 'running' | 'finished' | 'failed' | 'cancelled';
export type NewConversation = {
  readonly user: string;
  readonly key?: string;
  readonly title?: string;
};
type RequestOptions = { readonly ids: Ids; readonly signal: AbortSignal };

/** Stores events and conversations of a bundle. */
export type BundleEvents = {
  /** Refusals `invalid_input`, `not_found`, `conflict`, `busy`. */
  send(event: EventToSend, options: RequestOptions): Promise<Sent>;
  /** Refusals `invalid_input`, `not_found`, `conflict`, `busy`. */
  feedback(feedback: FeedbackToGive, options: RequestOptions): Promise<void>;
  /** The state of the task after it. Refusals `invalid_input`, `not_found`. */
  finish(ending: TaskEnding, options: RequestOptions): Promise<TaskStatus>;
  /** Refusal `not_found`. */
  taskState(task: TaskPlace, options: RequestOptions): Promise<TaskStatus>;
  /** Refusals `invalid_input`, `not_found`. */
  open(conversation: NewConversation, options: RequestOptions): Promise<{ readonly id: string }>;
};

/** An item for one of the bundle's queue jobs. */
export type JobRequest = {
  readonly job: string;
  readonly input: Json;
  /** Repeating a key has no effect. */
  readonly key?: string;
  readonly delayMs: number;
};

/** Stores items for the bundle's queue jobs. */
export type JobQueue = {
  /** Returns the id of the queued item. Refusal `too_many`. */
  enqueue(request: JobRequest, options: RequestOptions): Promise<{ readonly job: string }>;
};

/** A git repository that a bundle takes its knowledge from. */
export type RemoteFolder = {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly commit?: string | undefined;
  /** File of the SSH keys of which one must have signed the tag `ref`. */
  readonly signers?: string | undefined;
};

/** What the installation provides to a bundle. */
export type BundleHost = {
  readonly tenant: string;
  readonly project: string;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly storage: KeyValueStore;
  /** Absent: nothing calls tools here, so no server is connected. */
  readonly servers?: ToolServers;
  /** The folder of a repository at one commit. Absent: none is downloaded here. Faults `SOURCE_UNREACHABLE`, `SOURCE_REFUSED`. */
  repository?(source: RemoteFolder): Promise<string>;
  /** Absent: the bundle cannot send events here. */
  readonly events?: BundleEvents;
  /** Absent: nothing can be enqueued here. */
  readonly jobs?: JobQueue;
  /** Reasons why the installation cannot serve an agent with these settings, one sentence each. `live`: the settings change while it serves. */
  check?(agent: AgentSettings, options: { readonly live: boolean }): readonly string[];
  /** Undefined if it is not set. */
  secret(request: {
    readonly id: string;
    readonly for: 'bundle' | 'platform' | 'user';
    readonly bundle: string;
    readonly user?: string;
  }): Promise<string | undefined>;
  /** One internal model call: text, or JSON that `output` accepted (Fault `OUTPUT_INVALID`). */
  generate?(
    request: GenerateRequest,
    options: {
      readonly ids: Ids;
      readonly signal: AbortSignal;
      /** Charged for the call. Refuses with `budget_exhausted`. */
      readonly budget?: TurnBudget | undefined;
    },
  ): Promise<Json>;
};

/** A loaded bundle. */
export type LoadedBundle = {
  readonly definition: BundleDefinition;
  readonly revision: string;
  /** Folder of the bundle. File names are relative to it. */
  readonly dir: string;
  readonly host: BundleHost;
  readonly mask: Mask;
  readonly runScript: RunBundleScript;
  readonly resources: ResourcePool;
  readonly props: BundleProps;
  readonly kinds: readonly EventKind[];
  /** Set once the hooks are compiled, so that events sent by the bundle pass them too. */
  readonly eventHooks: { admitEvent?: AdmitEvent };
};
