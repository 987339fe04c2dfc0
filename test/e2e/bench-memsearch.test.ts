import { expect, test } from 'vitest';
import { benchMemsearch } from '../bench/memsearch/bench.ts';

// proves: memory.bench
test('a search finds nearly all results of an exact search, and the planted ones', async () => {
  const { figures, missing } = await benchMemsearch(3_000)();
  expect(missing ?? []).toEqual([]);
  const of = (name: string) => figures.find(({ id }) => id.startsWith(`memsearch.${name}`));
  expect(of('recall5_vs_exact')?.ours).toBeGreaterThan(0.9);
  expect(of('found5_vs_planted')?.ours).toBeGreaterThan(0.9);
  for (const { ours, theirs, ratio } of figures) expect(ratio).toBeCloseTo(ours / theirs, 9);
});
