/** Random numbers that depend on the seed alone. */
export type Chance = {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number;
  happens(probability: number): boolean;
  one<T>(list: readonly [T, ...T[]]): T;
};

/** mulberry32 */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    happens: (probability) => next() < probability,
    one: (list) => list[below(list.length)] ?? list[0],
  };
}
