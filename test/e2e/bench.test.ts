import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { median } from '../bench/figure.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const Figure = z.strictObject({
  id: z.string().regex(/^[a-z]+\.\w+_vs_\w+$/),
  ours: z.number().positive(),
  theirs: z.number().positive(),
  ratio: z.number().positive(),
  unit: z.string(),
  n: z.int().min(10),
});

// proves: bench.figures
test('a benchmark prints one line of JSON per figure, each the ratio of two medians of one run', async () => {
  const args = ['deploy/bench.mjs', 'scanner', 'rounds', '--json'];
  const { stdout } = await run(process.execPath, args, { cwd: root });
  const figures = stdout
    .trim()
    .split('\n')
    .map((line) => Figure.parse(JSON.parse(line)));
  expect(new Set(figures.map(({ id }) => id.split('.')[0]))).toEqual(
    new Set(['scanner', 'rounds']),
  );
  expect(new Set(figures.map(({ id }) => id)).size).toBe(figures.length);
  for (const { ours, theirs, ratio } of figures) expect(ratio).toBeCloseTo(ours / theirs, 9);
});

test('an unknown area is refused with the list of known ones', async () => {
  const asked = run(process.execPath, ['deploy/bench.mjs', 'speed'], { cwd: root });
  await expect(asked).rejects.toThrow('there are scanner, rounds, store, cache, timeline, exec');
});

test('one slow measurement does not move a figure', () => {
  expect(median([3, 1, 900, 2, 2])).toBe(2);
});
