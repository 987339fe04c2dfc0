import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './tree.ts';

const folder = join(root, 'docs/decisions/dependencies');

// proves: house.dependencies
test('every dependency has a page that says what it is for, and every page is of a dependency', () => {
  const pages = readdirSync(folder)
    .filter((file) => file !== 'index.md')
    .flatMap((file) => {
      const [head = ''] = readFileSync(join(folder, file), 'utf8').split('\n');
      return head.replace(/^# /, '').split(', ');
    });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const used = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(pages.toSorted()).toEqual(used.toSorted());
});
