import type { Clock } from '../../runtime/base/clock.ts';
import type { Log } from '../../runtime/base/log.ts';
import { Semaphore } from '../../runtime/base/semaphore.ts';
import type { CellKind, OpenCell } from '../cell/cell.ts';
import { KindPool } from './kind-pool.ts';
import {
  expectedMsMax,
  kindIdleMs,
  kindsMax,
  openingMax,
  poolSweepMs,
  waitMsMax,
} from './limits.ts';
import { openWarmCell, type WarmCell } from './open-warm-cell.ts';

export type PoolOptions = {
  readonly open: OpenCell;
  /** Waiting executors for each kind of program in use; 0: executors start on request. */
  readonly size: number;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Running executors that wait for a program. Each serves one program and is discarded with it;
 * until then it has seen nothing of any tenant. An executor that dies or has waited too long is replaced.
 */
export class CellPool implements AsyncDisposable {
  readonly #options: PoolOptions;
  readonly #kindPools = new Map<string, KindPool>();
  readonly #kept = new Set<KindPool>();
  readonly #closing = new AbortController();
  /** Executors that start at the same time slow each other down. */
  readonly #openings = new Semaphore(openingMax);
  readonly #pending = new Set<Promise<unknown>>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), poolSweepMs).unref();
  }

  /** Returns a waiting executor of this kind or starts one; the caller owns it. Rejects as `openWarmCell` does, or when aborted. */
  async take(kind: CellKind, { signal }: { signal: AbortSignal }): Promise<WarmCell> {
    signal.throwIfAborted();
    return this.#kindPool(kind).take({ signal });
  }

  /** Announces a program of this kind: one more executor waits for it, until a timeout or until the announcement is disposed of. */
  expect(kind: CellKind): Disposable {
    return this.#kindPool(kind).expect(expectedMsMax);
  }

  /** Keeps executors of these kinds waiting even if they are not requested. Replaces the previous list; if empty, none waits any longer. */
  keep(kinds: readonly CellKind[]): void {
    this.#kept.clear();
    for (const kind of kinds.slice(0, kindsMax)) {
      const shelf = this.#kindPool(kind);
      this.#kept.add(shelf);
      shelf.fill();
    }
    if (kinds.length > 0) return;
    for (const [key, shelf] of this.#kindPools) if (!shelf.isExpected) this.#drop(key, shelf);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeper);
    this.#closing.abort();
    for (const shelf of this.#kindPools.values()) shelf.clear();
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  #kindPool(kind: CellKind): KindPool {
    const key = JSON.stringify([kind.language, kind.folders, Object.entries(kind.limits).sort()]);
    const shelf = this.#kindPools.get(key) ?? this.#newKindPool(kind);
    this.#kindPools.delete(key);
    this.#makeRoom();
    // Re-inserted, so that the map is in the order of last use.
    this.#kindPools.set(key, shelf);
    return shelf;
  }

  /** Makes room for one more kind. Announced executors stay, however many: each has its program. */
  #makeRoom(): void {
    for (const [key, shelf] of this.#kindPools) if (shelf.isUnused) this.#drop(key, shelf);
    const spare = [...this.#kindPools].filter(([, shelf]) => !shelf.isExpected);
    const oldest = spare.find(([, shelf]) => !this.#kept.has(shelf));
    if (spare.length >= kindsMax && oldest) this.#drop(...oldest);
  }

  #newKindPool(kind: CellKind): KindPool {
    const { size, clock } = this.#options;
    return new KindPool({
      // A kind with folders belongs to one conversation: no other program will request it.
      size: kind.folders.length === 0 ? size : 0,
      clock,
      open: () => this.#open(kind),
      track: (work) => this.#track(work),
    });
  }

  #open(kind: CellKind): Promise<WarmCell> {
    const { signal } = this.#closing;
    const { open } = this.#options;
    return this.#openings.run(() => {
      signal.throwIfAborted();
      return openWarmCell(kind, { open, signal });
    });
  }

  #drop(key: string, shelf: KindPool): void {
    this.#kindPools.delete(key);
    shelf.clear();
  }

  #sweep(): void {
    for (const [key, shelf] of this.#kindPools) {
      const idle = shelf.idleMs > kindIdleMs && !shelf.isExpected && !this.#kept.has(shelf);
      if (idle) this.#drop(key, shelf);
      else shelf.retire(waitMsMax);
    }
  }

  #track(work: Promise<unknown>): void {
    const ended = work
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#options.log.warn('executor not warmed', { error });
      })
      .finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
  }
}
