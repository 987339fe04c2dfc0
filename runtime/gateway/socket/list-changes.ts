import type { Clock } from '../../base/clock.ts';
import type { Bus, Owner } from '../../engine/ports/bus.ts';
import { listChangeMs } from './limits.ts';

/** Tells a client that its user's list of conversations has changed: at once, then at most once per interval. */
export class ListChanges implements Disposable {
  readonly #clock: Clock;
  readonly #tell: () => void;
  readonly #stop = new AbortController();
  readonly #listening: Disposable;
  #isPausing = false;
  #isChanged = false;

  constructor(
    { bus, clock }: { bus: Bus; clock: Clock },
    { owner, tell }: { owner: Owner; tell: () => void },
  ) {
    this.#clock = clock;
    this.#tell = tell;
    this.#listening = bus.onTouch(owner, () => this.#changed());
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#listening[Symbol.dispose]();
  }

  #changed(): void {
    this.#isChanged = true;
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#tellSlowly()
      .catch((reason: unknown) => {
        if (!this.#stop.signal.aborted) throw reason;
      })
      .finally(() => {
        this.#isPausing = false;
      });
  }

  async #tellSlowly(): Promise<void> {
    while (this.#isChanged) {
      this.#isChanged = false;
      this.#tell();
      await this.#clock.sleep(listChangeMs, { signal: this.#stop.signal });
    }
  }
}
