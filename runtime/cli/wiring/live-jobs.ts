import { Scope } from '../../base/scope.ts';
import { createJobQueue, type OpenQueue } from '../../engine/jobs/queue.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { ProjectScope } from '../../timeline/ports/store.ts';
import { type JobPorts, openJobs } from './open-jobs.ts';

/** The jobs of the serving bundles. When the bundles are replaced, running jobs stop and start again with the new bundles. */
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

  /** Resolves after all jobs of the previous bundles have stopped. */
  async serve(bundles: readonly Pick<RuntimeBundle, 'id' | 'jobs'>[]): Promise<void> {
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
