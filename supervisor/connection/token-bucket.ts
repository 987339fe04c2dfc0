/** Allows a burst and a rate per second. A caller can take more tokens than are left and then has to wait. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  #left: number;
  #atMs: number | undefined;

  constructor({ capacity, perSecond }: { capacity: number; perSecond: number }) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#left = capacity;
  }

  /** Milliseconds until more tokens can be taken; 0: now. `nowMs` is monotonic. */
  take(tokens: number, nowMs: number): number {
    const passedMs = nowMs - (this.#atMs ?? nowMs);
    this.#atMs = nowMs;
    this.#left = Math.min(this.#capacity, this.#left + (passedMs * this.#perSecond) / 1_000);
    this.#left -= tokens;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1_000) / this.#perSecond);
  }
}
