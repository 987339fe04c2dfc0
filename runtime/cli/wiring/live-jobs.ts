import { Scope } from '../../base/scope.ts';
import { createJobQueue, type OpenQueue } from '../../engine/jobs/queue.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { type JobPorts, openJobs } from './open-jobs.ts';

/** The jobs of the bundles that serve: when others take their place, runs are stopped and begin again as those have them. */
export class LiveJobs implements AsyncDisposable {
  readonly queue: OpenQueue;
  readonly #ports: JobPorts;
  readonly #place: ProjectScope;
  #serving: Scope | undefined;

  constructor(ports: JobPorts, place: ProjectScope) {
    this.#ports = ports;
    this.#place = place;
    this.queue = createJobQueue({ store: ports.jobs, ids: ports.ids, place });
  }

  /** Nothing runs of the bundles before, when it resolves. */
  async serve(bundles: readonly RuntimeBundle[]): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#serving = new Scope();
    const { queue } = this;
    openJobs(this.#ports, { bundles, place: this.#place, queue }, this.#serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const before = this.#serving;
    this.#serving = undefined;
    await before?.[Symbol.asyncDispose]();
  }
}
