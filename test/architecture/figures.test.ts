import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { benchmarkAreas, benchmarkRatios, readmeRatios } from '../bench/documents.ts';
import { root } from './tree.ts';

// proves: house.figures
test('the README states the ratios of docs/benchmarks.md', () => {
  const documented = benchmarkRatios();
  const stated = [...readmeRatios()];
  expect(stated).toHaveLength(4);
  expect(stated).toEqual(stated.map(([id]) => [id, documented.get(id)]));
});

// proves: bench.documented
test('every figure of docs/benchmarks.md is measured by a bench command, and all of them by the long run', () => {
  const families = new Set(benchmarkAreas().map((area) => area.split('-', 1)[0]));
  const stated = [...benchmarkRatios().keys()];
  expect(stated.filter((id) => !families.has(id.split('.', 1)[0] ?? ''))).toEqual([]);
  expect(benchmarkAreas()).toEqual(expect.arrayContaining(['live-thousand', 'memsearch-million']));
  const text = readFileSync(join(root, 'test/bench/documented.ts'), 'utf8');
  expect(text).toContain('benchmarkAreas().flatMap(measure)');
});
