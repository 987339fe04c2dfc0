import type { Clock } from '../../runtime/base/clock.ts';
import { refillMs } from './limits.ts';
import type { WarmCell } from './open-warm-cell.ts';

type Options = {
  readonly size: number;
  readonly clock: Clock;
  readonly open: () => Promise<WarmCell>;
  /** Tracks background work: its failures are logged and it is awaited at close. */
  readonly track: (work: Promise<unknown>) => void;
};

type PooledCell = {
  readonly cell: Promise<WarmCell>;
  readonly sinceMs: number;
  state: 'opening' | 'waiting' | 'taken';
};

/** The waiting executors of one kind, oldest first. Some may still be starting. */
export class KindPool {
  readonly #options: Options;
  readonly #expected = new Set<NodeJS.Timeout>();
  #filling: NodeJS.Timeout | undefined;
  #places: PooledCell[] = [];
  #usedMs: number;

  constructor(options: Options) {
    this.#options = options;
    this.#usedMs = options.clock.monotonic();
  }

  /** Milliseconds since the last request for this kind. */
  get idleMs(): number {
    return this.#options.clock.monotonic() - this.#usedMs;
  }

  /** A program was announced and has not arrived yet. */
  get isExpected(): boolean {
    return this.#expected.size > 0;
  }

  /** The pool keeps no executors and no announced ones are left. */
  get isUnused(): boolean {
    return this.#options.size === 0 && this.#places.length === 0 && !this.isExpected;
  }

  async take({ signal }: { signal: AbortSignal }): Promise<WarmCell> {
    this.#usedMs = this.#options.clock.monotonic();
    const [announced] = this.#expected;
    if (announced) this.#forget(announced);
    const place = this.#next();
    this.#filling ??= setTimeout(() => this.fill(), refillMs).unref();
    return this.#untilReady(place, signal);
  }

  expect(ms: number): Disposable {
    this.#usedMs = this.#options.clock.monotonic();
    const timer = setTimeout(() => this.#withdraw(timer), ms).unref();
    this.#expected.add(timer);
    this.fill();
    return { [Symbol.dispose]: () => this.#withdraw(timer) };
  }

  /** Replaces executors that have waited longer than this. */
  retire(ms: number): void {
    const bornMs = this.#options.clock.monotonic() - ms;
    const old = this.#places.filter(({ sinceMs }) => sinceMs < bornMs);
    this.#places = this.#places.filter((place) => !old.includes(place));
    for (const place of old) this.#discard(place);
    this.fill();
  }

  fill(): void {
    clearTimeout(this.#filling);
    this.#filling = undefined;
    const wanted = this.#options.size + this.#expected.size;
    while (this.#places.length < wanted) this.#places.push(this.#place());
  }

  clear(): void {
    clearTimeout(this.#filling);
    for (const timer of this.#expected) clearTimeout(timer);
    this.#expected.clear();
    for (const place of this.#places.splice(0)) this.#discard(place);
  }

  #next(): PooledCell {
    const at = this.#places.findIndex(({ state }) => state === 'waiting');
    const [found = this.#place()] = this.#places.splice(Math.max(0, at), 1);
    found.state = 'taken';
    return found;
  }

  #place(): PooledCell {
    const sinceMs = this.#options.clock.monotonic();
    const place: PooledCell = { cell: this.#options.open(), sinceMs, state: 'opening' };
    this.#options.track(this.#watch(place));
    return place;
  }

  /** Replaces an executor that ends between its handshake and being taken. */
  async #watch(place: PooledCell): Promise<void> {
    const isTaken = () => place.state === 'taken';
    try {
      const { cell } = await place.cell;
      if (isTaken()) return;
      place.state = 'waiting';
      this.#options.track(cell.exited.then(() => this.#lost(place)));
    } catch (error) {
      this.#remove(place);
      // The caller that took it gets the error.
      if (!isTaken()) throw error;
    }
  }

  #lost(place: PooledCell): void {
    if (!this.#remove(place)) return;
    this.#discard(place);
    this.fill();
  }

  #remove(place: PooledCell): boolean {
    const at = this.#places.indexOf(place);
    if (at >= 0) this.#places.splice(at, 1);
    return at >= 0;
  }

  async #untilReady(place: PooledCell, signal: AbortSignal): Promise<WarmCell> {
    let stop: () => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([place.cell, stopped]);
    } catch (error) {
      // The next caller can have it.
      if (signal.aborted) this.#putBack(place);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #putBack(place: PooledCell): void {
    place.state = 'opening';
    this.#options.track(this.#watch(place));
    this.#places.unshift(place);
    this.#trim();
  }

  #withdraw(timer: NodeJS.Timeout): void {
    if (this.#forget(timer)) this.#trim();
  }

  #forget(timer: NodeJS.Timeout): boolean {
    clearTimeout(timer);
    return this.#expected.delete(timer);
  }

  #trim(): void {
    const wanted = this.#options.size + this.#expected.size;
    for (const place of this.#places.splice(wanted)) this.#discard(place);
  }

  #discard(place: PooledCell): void {
    place.state = 'taken';
    const gone = place.cell.then(({ cell }) => cell[Symbol.asyncDispose]());
    this.#options.track(gone);
  }
}
