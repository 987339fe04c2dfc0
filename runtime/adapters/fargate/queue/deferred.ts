/** A promise that is settled from outside, at most once. */
export interface Deferred<T> {
  readonly value: Promise<T>;
  readonly settled: boolean;
  /** False if it was settled before; the first value stays. */
  settle(value: T): boolean;
}

export function createDeferred<T>(): Deferred<T> {
  let settled = false;
  let take: (value: T) => void = () => undefined;
  const value = new Promise<T>((resolve) => {
    take = resolve;
  });
  return {
    value,
    get settled() {
      return settled;
    },
    settle: (one) => {
      if (settled) return false;
      settled = true;
      take(one);
      return true;
    },
  };
}
