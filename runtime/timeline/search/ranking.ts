import type { RankWeights } from '../ports/store.ts';

/** Evens out rankings of different kinds; the usual constant of reciprocal rank fusion. */
const fusionK = 60;
const weightMax = 2;
const recencyHalfLifeMs = 7 * 24 * 3_600_000;

/** One thing that a ranking has at a place, from 1. `id` names it in every ranking; `ageMs` may be negative after a clock was set back. */
export type RankedHit = {
  readonly ranking: Ranking;
  readonly place: number;
  readonly id: string;
  readonly ageMs: number;
};
/** `lexical` by the words themselves, `alike` by words that are nearly those, `semantic` by meaning. */
export type Ranking = 'lexical' | 'alike' | 'semantic';
type FusedHit = { readonly id: string; readonly score: number; readonly ageMs: number };

/**
 * Rankings fused by reciprocal rank: what stands high in several of them comes first. What is new counts up to twice,
 * which half-life and weight decide. Ties go to the newer one, then to the id, so that the order is always the same.
 */
export function fuse(ranked: readonly RankedHit[], weights: RankWeights = {}): readonly FusedHit[] {
  const weigh = { lexical: weightOf(weights.lexical), semantic: weightOf(weights.semantic) };
  const recency = weightOf(weights.recency);
  const sums = new Map<string, { sum: number; ageMs: number }>();
  for (const { ranking, place, id, ageMs } of ranked) {
    const weight = ranking === 'semantic' ? weigh.semantic : weigh.lexical;
    const sum = (sums.get(id)?.sum ?? 0) + (weight * factor[ranking]) / (fusionK + place);
    sums.set(id, { sum, ageMs });
  }
  return [...sums]
    .map(([id, { sum, ageMs }]) => ({ id, ageMs, score: sum * (1 + recency * freshness(ageMs)) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.ageMs - b.ageMs || (a.id < b.id ? -1 : 1));
}

/** A word that is only alike says less than the word itself. */
const factor: Readonly<Record<Ranking, number>> = { lexical: 1, alike: 0.5, semantic: 1 };

function weightOf(weight = 1): number {
  return Number.isFinite(weight) ? Math.min(weightMax, Math.max(0, weight)) : 1;
}

/** 1 now, half of it a week ago. */
function freshness(ageMs: number): number {
  return 0.5 ** (Math.max(0, ageMs) / recencyHalfLifeMs);
}
