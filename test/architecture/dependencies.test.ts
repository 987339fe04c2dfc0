import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sources } from './tree.ts';

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

// proves: house.dependencies
test('a package that shipped code imports is installed with Timeloom', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    'dependencies' | 'peerDependencies',
    Record<string, string>
  >;
  const installed = { ...manifest.dependencies, ...manifest.peerDependencies };
  const missing = sources(['runtime', 'supervisor', 'executor'])
    // The build puts the packages of pages into their files.
    .filter(({ file }) => !file.startsWith('runtime/gateway/pages/') && !file.endsWith('.test.ts'))
    .flatMap(({ file, text }) => imported(text).map((name) => [file, packageOf(name)] as const))
    .filter(([, name]) => !isBuiltin(name) && name !== 'timeloom' && !(name in installed))
    .map(([file, name]) => `${file} imports ${name}`);
  expect(missing).toEqual([]);
});

/** Modules outside the source that are loaded while the program runs: types are not. */
function imported(text: string): readonly string[] {
  const loads = /^(?:import|export)\s+(?!type\s)[^;']*from '([^'\n]+)'|import\('([^'\n]+)'\)/gm;
  const names = [...text.matchAll(loads)].map(([, still, lazy]) => still ?? lazy ?? '');
  return names.filter((name) => !name.startsWith('.'));
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
