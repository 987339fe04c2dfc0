import { signs } from '../../../runtime/timeline/search/vectors.ts';

/** Components of a vector; clusters, so that there are neighbours that are not the planted ones. */
export const dimensions = 256;
const clusters = 500;
const wordBits = 32;
const words = dimensions / wordBits;

/** Numbers from -√3 to √3, of which the mean is 0 and the variance 1; the same in every run. */
function createNoise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const again = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
    return (((again ^ (again >>> 14)) >>> 0) / 2 ** 31 - 1) * Math.sqrt(3);
  };
}

const noise = createNoise(42);
const middles = Array.from({ length: clusters }, () => Array.from({ length: dimensions }, noise));

/** A vector of the nth cluster. */
export function vectorOf(n: number): readonly number[] {
  return nearTo(middles[n % clusters] ?? []);
}

export function nearTo(vector: readonly number[]): readonly number[] {
  return vector.map((x) => Math.round((x + noise()) * 1e4) / 1e4);
}

export type Centre = { readonly id: number; readonly sign: string };

/** Finds the centres of vectors by the same rule as the database's `snippet_centre_of`, ten times as fast. */
export class Centres {
  readonly all: Centre[] = [];
  readonly #signs: number[] = [];

  of(id: number, vector: readonly number[]): number {
    const sign = signs(vector);
    const packed = Array.from({ length: words }, (_, index) =>
      Number.parseInt(sign.slice(index * wordBits, (index + 1) * wordBits), 2),
    );
    if (Math.random() * this.all.length ** 2 > 6_400) return this.#nearest(packed);
    this.all.push({ id, sign });
    this.#signs.push(...packed);
    return id;
  }

  #nearest(packed: readonly number[]): number {
    let [best, least] = [0, dimensions + 1];
    for (let index = 0; index < this.all.length; index += 1) {
      let apart = 0;
      for (let word = 0; word < words; word += 1) {
        apart += ones((this.#signs[index * words + word] ?? 0) ^ (packed[word] ?? 0));
      }
      if (apart < least) [best, least] = [index, apart];
    }
    return this.all[best]?.id ?? 0;
  }
}

function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
