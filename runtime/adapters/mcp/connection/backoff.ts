/** Exponential backoff in milliseconds: starts at zero, doubles up to the maximum, and resets after a quiet period. */
export class Backoff {
  readonly #min: number;
  readonly #max: number;
  #count = -1;
  #until = Number.NEGATIVE_INFINITY;

  constructor({ min, max }: { readonly min: number; readonly max: number }) {
    this.#min = min;
    this.#max = max;
  }

  next(nowMs: number): number {
    this.#count = nowMs - this.#until > 2 * this.#max ? 0 : this.#count + 1;
    const pause = this.#count === 0 ? 0 : Math.min(this.#max, this.#min * 2 ** (this.#count - 1));
    this.#until = nowMs + pause;
    return pause;
  }
}
