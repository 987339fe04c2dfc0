import { expect, test } from 'vitest';
import { benchmarkRatios, readmeRatios } from '../bench/documents.ts';

// proves: house.figures
test('the README states the ratios of docs/benchmarks.md', () => {
  const documented = benchmarkRatios();
  const stated = [...readmeRatios()];
  expect(stated).toHaveLength(4);
  expect(stated).toEqual(stated.map(([id]) => [id, documented.get(id)]));
});
