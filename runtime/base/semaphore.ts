/** Limits how many run at the same time; the others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(concurrencyMax: number) {
    this.#free = concurrencyMax;
  }

  async run<T>(act: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}
