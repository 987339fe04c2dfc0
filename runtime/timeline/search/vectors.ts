/** False for a vector of another length or with a non-finite number, which cannot be compared. */
export function isVector(values: readonly number[], dimensions = values.length): boolean {
  return values.length > 0 && values.length === dimensions && values.every(Number.isFinite);
}

/** The cosine of the angle between two vectors of equal length: 1 for the same direction, 0 if either is zero. */
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

/** The signs of the components as `0` and `1`: vectors whose signs differ in few positions are close to each other. */
export function signs(values: readonly number[]): string {
  return values.map((value) => (value > 0 ? '1' : '0')).join('');
}

/** Marks as `1` the components that determine the direction most: at least half the root mean square of all components. */
export function strongComponents(values: readonly number[]): string {
  const mean = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return values.map((value) => (Math.abs(value) >= mean / 2 ? '1' : '0')).join('');
}
