import { availableParallelism } from 'node:os';
import { Fault } from '../../base/fault.ts';
import { untilAborted } from '../../base/signal.ts';
import { type Config, environment } from '../config/config.ts';
import { spawnWorker, type WorkerFacts } from './worker-child.ts';
import { type WorkerParts, WorkerProcess } from './worker-process.ts';

/** The worker processes beside the gateway of `timeloom serve`. */
export class WorkerProcesses implements AsyncDisposable {
  readonly #count: number;
  #workers: readonly WorkerProcess[] = [];
  #facts: WorkerFacts = { sandbox: null };

  constructor(count: number) {
    this.#count = count;
  }

  /** The database must have its newest schema. */
  start(parts: Omit<WorkerParts, 'spawn'>): void {
    const spawn = () => spawnWorker(environment());
    this.#workers = Array.from(
      { length: this.#count },
      () => new WorkerProcess({ ...parts, spawn }),
    );
  }

  /** Resolves when all are ready, or are not needed any more. Fault `WORKER_FAILED`. */
  async ready({ signal }: { signal: AbortSignal }): Promise<void> {
    const all = Promise.all(this.#workers.map((worker) => worker.ready));
    try {
      [this.#facts = this.#facts] = await untilAborted(all, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** For `/metrics`. */
  get counts() {
    return {
      workers: this.#workers.length,
      workers_ready: this.#workers.filter(({ isReady }) => isReady).length,
      worker_restarts_total: this.#workers.reduce((sum, { restarts }) => sum + restarts, 0),
    };
  }

  /** For `/health`: the sandbox is the workers'. */
  get health() {
    const {
      workers: configured,
      workers_ready: ready,
      worker_restarts_total: restarts,
    } = this.counts;
    return { ...this.#facts, workers: { configured, ready, restarts } };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker[Symbol.asyncDispose]()));
  }
}

type Shared = Pick<Config, 'workers' | 'databaseUrl' | 'redisUrl'>;

/**
 * Worker processes of `timeloom serve`; 0: turns run in the process of the gateway. Fault `CONFIG_INVALID` if
 * there are to be some and they would share no database: the embedded one belongs to one process.
 */
export function workerCount(
  { workers, databaseUrl, redisUrl }: Shared,
  cores = availableParallelism(),
): number {
  const isShared = databaseUrl !== undefined && redisUrl !== undefined;
  if (workers === undefined) return isShared && cores > 1 ? 1 : 0;
  if (workers === 0 || isShared) return workers;
  const because = `TIMELOOM_WORKERS=${workers}: processes share a database and Redis: set DATABASE_URL and REDIS_URL, or TIMELOOM_WORKERS=0`;
  throw new Fault('CONFIG_INVALID', { because });
}
