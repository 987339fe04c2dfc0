import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../../base/fault.ts';
import { Scope } from '../../../base/scope.ts';
import { type DataDirLock, lockClockMs, lockDataDir } from './data-dir-lock.ts';
import type { Database, Param } from './database.ts';
import { unpackDatabase } from './database-image.ts';
import { toStoreError } from './errors.ts';
import { pgliteWorker } from './pglite-worker.ts';

export type PgliteOptions = {
  /** If absent, the database is in memory and is lost on close. */
  readonly dir: string | undefined;
  /** Waits for the disk at every commit, so that data survives power loss; otherwise it survives only a process crash. */
  readonly durable?: boolean;
  /** The files of a new database (`database-image.ts`). Absent: creates an empty database. */
  readonly image?: string | undefined;
  /** Statements that are parsed and planned once, by name. */
  readonly prepared?: Readonly<Record<string, string>>;
  /** Called when another process has taken over the directory. The database is closed, and every statement faults. */
  readonly onLost?: (fault: Error) => void;
};

type Request = {
  method: 'query' | 'script' | 'close';
  sql?: string;
  params?: readonly Param[];
  /** The statement must start before this time of `lockClockMs`. */
  untilMs?: number;
};
type Rows = readonly unknown[] | 'expired';
type Reply = { id: number; rows?: Rows; error?: { message: string; code: string } };
type Waiting = { resolve: (rows: Rows) => void; reject: (error: Error) => void };

/**
 * Opens Postgres in a worker thread of this process, so that a slow statement does not block the event loop.
 * Faults `DATA_DIR_HELD`, `DATA_DIR_UNWRITABLE`, `DATA_DIR_EXPOSED`; `STORE_UNAVAILABLE` if the thread has died. After a
 * pause of the process, statements start only once the directory lock is verified.
 */
export async function openPglite(options: PgliteOptions): Promise<Database> {
  const { dir, durable = false, image, prepared = {}, onLost = () => undefined } = options;
  const scope = new Scope();
  try {
    const lock: DataDirLock | undefined = dir === undefined ? undefined : await lockDataDir(dir);
    if (lock) scope.own(lock);
    const folder = dir && join(dir, 'postgres');
    if (folder && image) await unpackDatabase(image, folder);
    const thread = scope.own(
      new Thread({ dir: folder, durable, image, prepared: Object.values(prepared) }),
    );
    await thread.opened;
    lock?.onLost((fault) => {
      thread.end(fault);
      onLost(fault);
    });
    return {
      query: (sql, params) => ask({ thread, lock }, { method: 'query', sql, params }),
      script: async (sql) => void (await ask({ thread, lock }, { method: 'script', sql })),
      [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
    };
  } catch (error) {
    await scope[Symbol.asyncDispose]();
    throw error;
  }
}

type Parts = { readonly thread: Thread; readonly lock: DataDirLock | undefined };

async function ask({ thread, lock }: Parts, request: Request): Promise<readonly unknown[]> {
  for (;;) {
    if (lock && lockClockMs() >= lock.untilMs) await lock.renew();
    const rows = await thread.ask(lock ? { ...request, untilMs: lock.untilMs } : request);
    if (rows !== 'expired') return rows;
  }
}

/** pgvector for the embedded Postgres is a separate, optional package. */
function vectorsPackage(resolve: (name: string) => string): string | undefined {
  try {
    return resolve('@electric-sql/pglite-pgvector');
  } catch {
    return undefined;
  }
}

type ThreadOptions = {
  readonly dir: string | undefined;
  readonly durable: boolean;
  /** For a database in memory. */
  readonly image: string | undefined;
  readonly prepared: readonly string[];
};

class Thread implements AsyncDisposable {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #dead: Fault | undefined;
  #closing: Promise<void> | undefined;

  constructor(opened: ThreadOptions) {
    const { resolve } = createRequire(import.meta.url);
    const pglite = resolve('@electric-sql/pglite');
    const trigrams = resolve('@electric-sql/pglite/contrib/pg_trgm');
    this.#worker = new Worker(pgliteWorker, {
      eval: true,
      workerData: { pglite, trigrams, vectors: vectorsPackage(resolve), ...opened },
    });
    this.opened = this.#answer(0);
    this.#worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', (code) => this.#die(new Error(`the thread ended with ${code}`)));
  }

  async ask(request: Request): Promise<Rows> {
    if (this.#dead) throw this.#dead;
    this.#lastId += 1;
    const answer = this.#answer(this.#lastId);
    this.#worker.postMessage({ id: this.#lastId, params: [], ...request });
    return await answer;
  }

  /** Stops the thread at once; every pending and later request fails with the fault. */
  end(fault: Fault): void {
    this.#fail(fault);
    void this.#worker.terminate();
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

  #answer(id: number): Promise<Rows> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #settle({ id, rows = [], error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(toStoreError(error));
    else waiting?.resolve(rows);
  }

  #die(error: Error): void {
    this.#fail(new Fault('STORE_UNAVAILABLE', { because: error.message }));
  }

  #fail(fault: Fault): void {
    this.#dead ??= fault;
    for (const { reject } of this.#waiting.values()) reject(fault);
    this.#waiting.clear();
  }
}
