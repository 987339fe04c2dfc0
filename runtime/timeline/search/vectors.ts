/** A vector of another length, or with a number that is none, cannot be compared. */
export function isVector(values: readonly number[], dimensions = values.length): boolean {
  return values.length > 0 && values.length === dimensions && values.every(Number.isFinite);
}

/** The cosine of the angle between two vectors of one length: 1 for the same direction, 0 where either has none. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let index = 0; index < a.length; index += 1) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}

/** The signs of the components as `0` and `1`: vectors whose signs differ in few places are near each other. */
export function signs(values: readonly number[]): string {
  return values.map((value) => (value > 0 ? '1' : '0')).join('');
}

/** Which components say most of where the vector points, as `1`: at least half as large as they all are in the mean. */
export function strongComponents(values: readonly number[]): string {
  const mean = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return values.map((value) => (Math.abs(value) >= mean / 2 ? '1' : '0')).join('');
}
