import type { Json } from '../../../base/json.ts';
import type { Log } from '../../../base/log.ts';
import type { TurnBudget } from '../../../tools/ports/turn-budget.ts';
import type { AgentSettings, OutputSchema } from '../../contract/agent-settings.ts';
import type { EventKind } from '../../contract/runtime-bundle.ts';
import type { RuntimeHooks } from '../../contract/runtime-hooks.ts';
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

/** As an agent's output; the check may be made where the schema lives. */
export type AnswerSchema = Pick<OutputSchema, 'schema'> & {
  parse(value: Json): Awaitable<ReturnType<OutputSchema['parse']>>;
};

/** An event of the bundle's own, not parsed yet, and the agent that answers where it opens a turn. */
export type EventToSend = {
  readonly kind: EventKind;
  readonly given: Json;
  readonly conversation: string;
  readonly messageId?: string;
  readonly agent: string;
  /** What the bundle's own hooks say of it. */
  readonly admit?: RuntimeHooks['event'];
};
export type NewConversation = {
  readonly user: string;
  readonly key?: string;
  readonly title?: string;
};
type RequestOptions = { readonly ids: Ids; readonly signal: AbortSignal };

/** Where a bundle's events and conversations are made durable. */
export type BundleEvents = {
  /** Refusals `invalid_input`, `not_found`, `conflict`, `busy`. */
  send(sending: EventToSend, asking: RequestOptions): Promise<Sent>;
  /** Refusals `invalid_input`, `not_found`. */
  open(opening: NewConversation, asking: RequestOptions): Promise<{ readonly id: string }>;
};

/** What is asked of a job of the bundle that is a queue. */
export type JobRequest = {
  readonly job: string;
  readonly input: Json;
  /** The same again changes nothing. */
  readonly key?: string;
  readonly delayMs: number;
};

/** Where errands of the bundle's jobs are made durable. */
export type JobQueue = {
  /** Answers what the errand is called. Refusal `too_many`. */
  enqueue(errand: JobRequest, asking: RequestOptions): Promise<{ readonly job: string }>;
};

/** What the installation lends to a bundle. */
export type BundleHost = {
  readonly tenant: string;
  readonly project: string;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly storage: KeyValueStore;
  /** Absent: nothing calls tools here, and no server is reached. */
  readonly servers?: ToolServers;
  /** Absent: nothing of the bundle is heard here. */
  readonly events?: BundleEvents;
  /** Absent: nothing can be enqueued here. */
  readonly jobs?: JobQueue;
  /** Why the installation cannot serve an agent with these settings, a sentence each; `live`: which change while it serves. */
  check?(agent: AgentSettings, options: { readonly live: boolean }): readonly string[];
  /** Undefined: nobody set it. */
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
      /** Pays, and refuses with `budget_exhausted`. */
      readonly budget?: TurnBudget | undefined;
    },
  ): Promise<Json>;
};

/** One bundle while it is loaded. */
export type LoadedBundle = {
  readonly definition: BundleDefinition;
  readonly revision: string;
  /** Folder of the bundle; names of files are relative to it. */
  readonly dir: string;
  readonly host: BundleHost;
  readonly mask: Mask;
  readonly runScript: RunBundleScript;
  readonly resources: ResourcePool;
  readonly props: BundleProps;
  readonly kinds: readonly EventKind[];
  /** Put here once the hooks are compiled: what the bundle says itself passes them as well. */
  readonly eventHooks: { admitEvent?: NonNullable<RuntimeHooks['event']> };
};
