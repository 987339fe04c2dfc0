import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import type { Log } from '../../base/log.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { ProjectScope, TimelineStore } from '../../timeline/ports/store.ts';
import type { Dispatch } from '../../tools/ports/dispatch.ts';
import type { LongTermMemory } from '../../tools/ports/long-term-memory.ts';
import type { Spending } from '../spending/spending.ts';
import type { Bus } from './bus.ts';
import type { ExternalAgents } from './external-agent.ts';
import type { Model, ModelRole } from './model.ts';

/** The agent of a turn. Undefined parts mean the default. */
export type AgentChoice = {
  readonly bundle: string | undefined;
  readonly agent: string | undefined;
  /** The current turn, if there is one. */
  readonly turn?: string;
};

/** Agents for one session: a turn keeps the agents it started with, even if its bundle changes. */
export type AgentHold = Disposable & {
  agent(choice: AgentChoice): AgentSettings | undefined;
};

/** The runtime's own jobs, beside those of bundles. */
export type BackgroundQueue = {
  /** Durable when it resolves. The same key again changes nothing. */
  enqueue(errand: {
    readonly job: string;
    readonly key: string;
    readonly input: Json;
    readonly delayMs: number;
  }): Promise<void>;
};

/** The ports and services of a worker, built by a composition root. */
export type Engine = {
  readonly store: TimelineStore;
  readonly blobs: BlobStore;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Absent: memory is searched by words alone. */
  readonly embedder?: Embedder;
  readonly worker: string;
  /** Conversations that run at the same time. Undefined: `turnsPerWorkerMax`. */
  readonly turnsMax?: number | undefined;
  /** Undefined: the project has no such bundle or agent. Inside a session the project is that of its conversation. */
  agent(choice: AgentChoice, project?: ProjectScope): AgentSettings | undefined;
  /** For a session of a conversation of this project. Absent: bundles never change, and there is one project. */
  hold?(project: ProjectScope): AgentHold;
  model(agent: AgentSettings, role: ModelRole): Model;
  /** Opens a model that a turn names, so that `model` finds it. Absent: only configured models work. */
  openModel?(ref: string): Promise<void>;
  /** Absent: no message may name an address that performs its functions. */
  readonly dispatch?: Dispatch | undefined;
  /** Facts that outlive conversations. Absent: agents have no long-term memory. */
  readonly memory?: LongTermMemory | undefined;
  /** Work for after a turn. Absent: nothing is recorded after turns. */
  readonly background?: BackgroundQueue | undefined;
  /** Absent: agents with `runtime: external` cannot work here. */
  readonly externalAgents?: ExternalAgents | undefined;
  /** Limits for users and tenants. Absent: none. */
  readonly spending?: Spending | undefined;
  /** A turn that a model failed shows the provider's own text. Only where every user is a developer. */
  readonly showsProviderErrors?: boolean;
};
