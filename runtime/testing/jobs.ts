import { createMemoryJobs } from '../adapters/memory/jobs.ts';
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { Refusal } from '../base/refusal.ts';
import { Scope } from '../base/scope.ts';
import { openJobs } from '../cli/wiring/open-jobs.ts';
import type { Ports } from '../cli/wiring/open-runtime.ts';
import { createBackgroundQueue, systemJobs } from '../engine/background/system-jobs.ts';
import { createJobQueue, type OpenQueue } from '../engine/jobs/queue.ts';
import type { BackgroundQueue, Engine } from '../engine/ports/engine.ts';
import type { JobStore } from '../engine/ports/jobs.ts';
import type { BundleJob, RuntimeBundle } from '../sdk/contract/runtime-bundle.ts';
import { severable } from './severable.ts';
import { testScope } from './test-scope.ts';

/** The jobs of a test: runs them as a worker does, and waits for their end. */
export class TestJobs implements AsyncDisposable {
  readonly queue: OpenQueue;
  /** Where the engine enqueues the runtime's own jobs. */
  readonly background: BackgroundQueue;
  readonly #ports: Ports;
  readonly #store: JobStore;
  /** Number of waiting items by queue. */
  readonly #waiting = new Map<string, number>();
  readonly #thrown = new Map<string, unknown>();
  #onEnd: (() => void)[] = [];
  #bundle: RuntimeBundle | undefined;

  #running: { scope: Scope; sever(): void } | undefined;

  /** `clock` is the store's clock. */
  constructor(ports: Ports, { clock }: Pick<Ports, 'clock'>) {
    this.#ports = ports;
    this.#store = this.#watched(createMemoryJobs({ clock }));
    this.queue = createJobQueue({ store: this.#store, ids: ports.ids });
    this.background = createBackgroundQueue(this.queue, testScope);
  }

  /** Starts running the bundle's jobs. */
  start(bundle: RuntimeBundle, engine: Omit<Engine, 'worker'>): void {
    this.#bundle = bundle;
    const jobs = bundle.jobs.map((job) => this.#listened(job));
    const scope = new Scope();
    const cutOff = () => new Error('the test cut it off');
    const { guarded, sever } = severable(this.#store, cutOff);
    const ports = { ...this.#ports, jobs: guarded };
    const { id } = bundle;
    const system = systemJobs({ ...engine, worker: 'jobs' });
    openJobs(
      ports,
      {
        projects: [{ place: testScope, bundles: [{ id, jobs }, system] }],
        queue: this.queue,
      },
      scope,
    );
    this.#running = { scope, sever };
  }

  /** Stops the worker like `kill -9`. */
  async kill(): Promise<void> {
    this.#running?.sever();
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.scope[Symbol.asyncDispose]();
  }

  /** See `TestRuntime.job`. */
  async run(id: string, input?: Json): Promise<void> {
    const job = this.#bundle?.jobs.find((one) => one.id === id);
    if (!job) throw new Fault('NOT_IN_BUNDLE', { because: `job ${id}` });
    const { signal } = new AbortController();
    if (job.schedule || input !== undefined) return job.run(input ?? {}, { signal });
    if (!this.#waiting.has(id)) {
      const why = 'nothing was enqueued for it: enqueue an item, or pass an input to job()';
      throw new Refusal('nothing_enqueued', `“${id}” is a queue, and ${why}.`);
    }
    await this.#settled(id);
  }

  async #settled(id: string): Promise<void> {
    while (!this.#thrown.has(id) && (this.#waiting.get(id) ?? 0) > 0) {
      await new Promise<void>((resolve) => this.#onEnd.push(resolve));
    }
    if (!this.#thrown.has(id)) return;
    const error = this.#thrown.get(id);
    this.#thrown.delete(id);
    throw error;
  }

  #listened(job: BundleJob): BundleJob {
    const run: BundleJob['run'] = async (input, options) => {
      try {
        await job.run(input, options);
      } catch (error) {
        this.#thrown.set(job.id, error);
        throw error;
      }
    };
    return { ...job, run };
  }

  #watched(store: JobStore): JobStore {
    const recount = async () => {
      for (const { job, waiting } of await store.counts(testScope)) this.#waiting.set(job, waiting);
      for (const resolve of this.#onEnd.splice(0)) resolve();
    };
    return {
      now: () => store.now(),
      schedule: (name, tick) => store.schedule(name, tick),
      claim: (jobs, options) => store.claim(jobs, options),
      renew: (claim, options) => store.renew(claim, options),
      counts: (where) => store.counts(where),
      failures: (name, options) => store.failures(name, options),
      enqueue: async (name, errand) => {
        const id = await store.enqueue(name, errand);
        await recount();
        return id;
      },
      finish: async (claim, ending) => {
        const isOurs = await store.finish(claim, ending);
        await recount();
        return isOurs;
      },
    };
  }
}
