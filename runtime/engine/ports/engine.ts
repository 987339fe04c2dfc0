import type { Clock } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Embedder } from '../../timeline/ports/embedder.ts';
import type { TimelineStore } from '../../timeline/ports/store.ts';
import type { Bus } from './bus.ts';
import type { Model, ModelRole } from './model.ts';

/** Which agent works on a turn. Undefined parts mean the default. */
export type AgentChoice = {
  readonly bundle: string | undefined;
  readonly agent: string | undefined;
  /** The turn that is worked on, where it is one. */
  readonly turn?: string;
};

/** Agents for one session: a turn keeps those it began with, whatever becomes of its bundle meanwhile. */
export type AgentHold = Disposable & {
  agent(choice: AgentChoice): AgentSettings | undefined;
};

/** Everything a worker stands on, built by a composition root. */
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
  /** Conversations that are worked on at the same time; undefined: `turnsPerWorkerMax`. */
  readonly turnsMax?: number | undefined;
  /** Undefined: no such bundle or agent. */
  agent(choice: AgentChoice): AgentSettings | undefined;
  /** Absent: bundles stay as they are. */
  hold?(): AgentHold;
  model(agent: AgentSettings, role: ModelRole): Model;
};
