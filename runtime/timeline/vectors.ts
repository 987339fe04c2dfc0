/** A vector of another length, or with a number that is none, cannot be compared. */
export function isVector(values: readonly number[], dimensions = values.length): boolean {
  return values.length > 0 && values.length === dimensions && values.every(Number.isFinite);
}

/** The cosine of the angle between two vectors of one length: 1 for the same direction, 0 where either has none. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? 0;
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
