import type { Clock } from '../../runtime/base/clock.ts';

const names = ['prepare', 'ready', 'run', 'collect'] as const;
type Phase = (typeof names)[number];

/** Time of each phase of one execution, in whole milliseconds. A phase ends when the next one begins. */
export class Phases {
  readonly #clock: Clock;
  readonly #spent: Record<Phase, number> = { prepare: 0, ready: 0, run: 0, collect: 0 };
  #current: Phase = 'prepare';
  #since: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  begin(phase: Phase): void {
    const now = this.#clock.monotonic();
    this.#spent[this.#current] += Math.round(now - this.#since);
    this.#current = phase;
    this.#since = now;
  }

  /** Ends the current phase as well. */
  get spent(): Readonly<Record<Phase, number>> {
    this.begin(this.#current);
    return { ...this.#spent };
  }
}
