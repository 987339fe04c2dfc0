import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../architecture/tree.ts';

const folder = join(root, 'docs/guide');
const fence = /^```(?:ts|python)(?: (\S+))?\n([\s\S]*?)^```$/gm;

const samples = readdirSync(folder)
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(fence)].map(
      ([, file = '', code = '']) => ({ page, file, code }),
    ),
  );

test('every TypeScript and Python sample of the guide is part of a file that is checked and tested', () => {
  const strangers = samples.filter(
    ({ file, code }) =>
      file === '' || !readFileSync(join(import.meta.dirname, file), 'utf8').includes(code),
  );
  expect(strangers).toEqual([]);
  expect(samples.length).toBeGreaterThan(5);
});
