import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../executor');

test('what runs beside hostile code can be read in one sitting', () => {
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(['harness.mjs', 'harness.py', 'launcher.py']);
  const lines = files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  expect(lines.length).toBeLessThan(600);
});
