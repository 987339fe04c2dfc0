import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { Scope } from '../../base/scope.ts';
import { type DataDirLock, lockDataDir } from './data-dir-lock.ts';
import type { Database, Param } from './database.ts';
import { toStoreError } from './errors.ts';
import { pgliteWorker } from './pglite-worker.ts';

export type PgliteOptions = {
  /** Absent: in memory, gone at the end. */
  readonly dir: string | undefined;
  /** Waits for the disk at every commit, so that it survives power loss too; otherwise only a crash of the process. */
  readonly durable?: boolean;
};

type Request = { method: 'query' | 'script' | 'close'; sql?: string; params?: readonly Param[] };
type Reply = { id: number; rows?: readonly unknown[]; error?: { message: string; code: string } };
type Waiting = { resolve: (rows: readonly unknown[]) => void; reject: (error: Error) => void };

/**
 * Postgres within this process, in a worker thread, so that a slow statement does not stop the event loop.
 * Faults `DATA_DIR_HELD`, `DATA_DIR_UNWRITABLE`; `STORE_UNAVAILABLE` when the thread has died.
 */
export async function openPglite({ dir, durable = false }: PgliteOptions): Promise<Database> {
  const scope = new Scope();
  try {
    const lock: DataDirLock | undefined = dir === undefined ? undefined : await lockDataDir(dir);
    if (lock) scope.own(lock);
    const thread = scope.own(new Thread(dir && join(dir, 'postgres'), durable));
    await thread.opened;
    return {
      query: (sql, params) => thread.ask({ method: 'query', sql, params }),
      script: async (sql) => void (await thread.ask({ method: 'script', sql })),
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

/** pgvector for the embedded Postgres comes as a package of its own, which need not be there. */
function vectorsPackage(resolve: (name: string) => string): string | undefined {
  try {
    return resolve('@electric-sql/pglite-pgvector');
  } catch {
    return undefined;
  }
}

class Thread implements AsyncDisposable {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #dead: Error | undefined;
  #closing: Promise<void> | undefined;

  constructor(dir: string | undefined, durable: boolean) {
    const { resolve } = createRequire(import.meta.url);
    const pglite = resolve('@electric-sql/pglite');
    const trigrams = resolve('@electric-sql/pglite/contrib/pg_trgm');
    this.#worker = new Worker(pgliteWorker, {
      eval: true,
      workerData: { pglite, trigrams, vectors: vectorsPackage(resolve), dir, durable },
    });
    this.opened = this.#answer(0);
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => this.#die(new Error(`the thread ended with ${code}`)));
  }

  async ask(request: Request): Promise<readonly unknown[]> {
    if (this.#dead) throw toStoreError(this.#dead);
    this.#lastId += 1;
    const answer = this.#answer(this.#lastId);
    this.#worker.postMessage({ id: this.#lastId, params: [], ...request });
    return await answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    try {
      if (!this.#dead) await this.ask({ method: 'close' });
    } finally {
      await this.#worker.terminate();
    }
  }

  #answer(id: number): Promise<readonly unknown[]> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #settle({ id, rows = [], error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(toStoreError(error));
    else waiting?.resolve(rows);
  }

  #die(error: Error): void {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) {
      reject(new Fault('STORE_UNAVAILABLE', { because: error.message }));
    }
    this.#waiting.clear();
  }
}
