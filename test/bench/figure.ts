/** One comparison, both sides measured in the same run, in turns. */
export type Figure = {
  /** `<area>.<what>_vs_<other>` */
  readonly id: string;
  /** Medians, in `unit`. */
  readonly ours: number;
  readonly theirs: number;
  /** `ours / theirs`: below 1, ours costs less. */
  readonly ratio: number;
  readonly unit: string;
  /** Measurements behind each median. */
  readonly n: number;
};

export function toFigure(
  id: string,
  { ours, theirs, unit }: { ours: readonly number[]; theirs: readonly number[]; unit: string },
): Figure {
  const [mine, other] = [median(ours), median(theirs)];
  return { id, ours: mine, theirs: other, ratio: mine / other, unit, n: ours.length };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
