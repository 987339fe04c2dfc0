import type { Clock } from '../../../../runtime/base/clock.ts';
import { Fault } from '../../../../runtime/base/fault.ts';
import type { Chance } from './chance.ts';

export type Mishaps = {
  left: number;
  /**
   * Also includes stores that stop answering renewals, owners that are killed in quick succession, and processes that
   * lose the data directory during a pause.
   */
  readonly timing: boolean;
  /** Steps of any process until the next one dies. */
  doomed?: number | undefined;
};

/** Probability that a step fails, while mishaps are left. */
const mishapProbability = 0.012;
const latencyMsMax = 40;
const freezeMsMax = 25_000;
const stepsToEndMax = 6;

type Mishap = 'die' | 'freeze' | 'lose' | 'hang' | 'die again' | 'lose the directory';

type World = {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly mishaps: Mishaps;
  readonly died: () => void;
};

/**
 * One process of the simulated world. It can be killed between any two of its steps: from then on none of its actions
 * has an effect, and it gets no answers. It can be frozen for longer than its lease and then continue.
 */
export class Life {
  readonly #world: World;
  readonly #mourners: ((error: Error) => void)[] = [];
  #dead = false;
  #buried = false;
  #frozenUntil = 0;
  #isUnrenewed = false;
  /** Steps until a process that has lost the data directory ends. */
  #stepsLeft: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  get hears(): boolean {
    return !this.#dead && !this.#isFrozen;
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Resolves after a while, or never. Fault `STORE_UNAVAILABLE` for a lost connection. */
  async step(): Promise<void> {
    const { chance, clock, mishaps } = this.#world;
    await this.gone();
    await this.#leave();
    if (chance.happens(0.25)) await clock.sleep(chance.below(latencyMsMax), unending());
    if (mishaps.left > 0 && chance.happens(mishapProbability)) {
      mishaps.left -= 1;
      const more = mishaps.timing ? (['hang', 'die again', 'lose the directory'] as const) : [];
      this.#fail(chance.one(['die', 'die', 'freeze', 'lose', ...more] as const));
    } else if (mishaps.doomed !== undefined && !this.#dead) {
      mishaps.doomed -= 1;
      if (mishaps.doomed <= 0) this.#fail('die');
    }
    await this.gone();
  }

  /** Blocks a dead process until the end of the test, and a frozen one until it continues. */
  async gone(): Promise<void> {
    while (this.#isFrozen && !this.#dead) {
      await this.#world.clock.sleep(this.#frozenUntil - this.#world.clock.now(), unending());
    }
    if (this.#buried) throw new Error('buried');
    if (this.#dead) await new Promise((_, reject) => this.#mourners.push(reject));
  }

  /** Ends everything that hangs, so that nothing keeps running. */
  bury(): void {
    this.#dead = true;
    this.#buried = true;
    for (const tell of this.#mourners) tell(new Error('buried'));
  }

  get #isFrozen(): boolean {
    return this.#world.clock.now() < this.#frozenUntil;
  }

  /** A renewal on a connection that never answers, until the process is buried. */
  async renewal(): Promise<void> {
    if (this.#isUnrenewed) await new Promise((_, reject) => this.#mourners.push(reject));
  }

  /** From the end of the pause on its store writes nothing more, and soon the process ends. */
  async #leave(): Promise<void> {
    if (this.#stepsLeft === undefined) return;
    if (this.#stepsLeft === 0) this.#fail('die');
    this.#stepsLeft -= 1;
    await this.gone();
    throw new Fault('DATA_DIR_HELD', { because: 'the simulation says so' });
  }

  #fail(how: Mishap): void {
    const { chance, clock, died, mishaps } = this.#world;
    mishaps.doomed = how === 'die again' ? 1 + chance.below(30) : undefined;
    if (how === 'lose') throw new Fault('STORE_UNAVAILABLE', { because: 'the simulation says so' });
    if (how === 'hang') this.#isUnrenewed = true;
    else if (how === 'freeze' || how === 'lose the directory') {
      this.#frozenUntil = clock.now() + chance.below(freezeMsMax);
      if (how === 'lose the directory') this.#stepsLeft = chance.below(stepsToEndMax);
    } else {
      this.#dead = true;
      died();
    }
  }
}

function unending() {
  return { signal: new AbortController().signal };
}

/** The same port, for a process that may die before and after each of its calls. */
export function mortal<T extends object>(
  port: T,
  life: Life,
  answered: (name: PropertyKey, answer: unknown) => void,
): T {
  return new Proxy(port, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...given: readonly unknown[]) => {
        await life.step();
        if (name === 'renew') await life.renewal();
        const answer: unknown = await Reflect.apply(member, target, given);
        answered(name, answer);
        await life.step();
        return answer;
      };
    },
  });
}
