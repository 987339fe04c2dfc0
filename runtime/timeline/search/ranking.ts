import type { RankWeights } from '../ports/store.ts';

/** Balances different rankings; the usual constant of reciprocal rank fusion. */
const fusionK = 60;
const weightMax = 2;
const recencyHalfLifeMs = 7 * 24 * 3_600_000;

/** One hit of a ranking; `place` counts from 1. `id` is the same in every ranking; `ageMs` may be negative after a clock change. */
export type RankedHit = {
  readonly ranking: Ranking;
  readonly place: number;
  readonly id: string;
  readonly ageMs: number;
};
/** `lexical`: by exact words. `alike`: by similar words. `semantic`: by meaning. */
export type Ranking = 'lexical' | 'alike' | 'semantic';
type FusedHit = { readonly id: string; readonly score: number; readonly ageMs: number };

/**
 * Merges rankings by reciprocal rank fusion: hits that are high in several rankings come first. A new hit counts up to
 * twice as much, depending on half-life and weight. Ties are broken by age, then by id, so the order is deterministic.
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

/** A similar word counts less than the exact word. */
const factor: Readonly<Record<Ranking, number>> = { lexical: 1, alike: 0.5, semantic: 1 };

function weightOf(weight = 1): number {
  return Number.isFinite(weight) ? Math.min(weightMax, Math.max(0, weight)) : 1;
}

/** 1 now, 0.5 after a week. */
function freshness(ageMs: number): number {
  return 0.5 ** (Math.max(0, ageMs) / recencyHalfLifeMs);
}
