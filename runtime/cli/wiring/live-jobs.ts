import { Scope } from '../../base/scope.ts';
import { createJobQueue, type OpenQueue } from '../../engine/jobs/queue.ts';
import { type JobPorts, openJobs, type ProjectJobs } from './open-jobs.ts';

/** The jobs of the serving bundles. When the bundles are replaced, running jobs stop and start again with the new bundles. */
export class LiveJobs implements AsyncDisposable {
  readonly queue: OpenQueue;
  readonly #ports: JobPorts;
  #serving: Scope | undefined;

  constructor(ports: JobPorts) {
    this.#ports = ports;
    this.queue = createJobQueue({ store: ports.jobs, ids: ports.ids });
  }

  /** Resolves after all jobs of the previous bundles have stopped. */
  async serve(projects: readonly ProjectJobs[]): Promise<void> {
    await this[Symbol.asyncDispose]();
    this.#serving = new Scope();
    openJobs(this.#ports, { projects, queue: this.queue }, this.#serving);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const before = this.#serving;
    this.#serving = undefined;
    await before?.[Symbol.asyncDispose]();
  }
}
