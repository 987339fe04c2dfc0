import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownGaps } from '../known-gaps.ts';
import { requirements } from '../requirements.ts';
import { root } from './tree.ts';

// proves: house.requirements

const citation = /^\s*\/\/ proves: (.+)$/gm;

const cited = ['test', 'bundles']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
  .flatMap((text) => [...text.matchAll(citation)])
  .flatMap(([, ids = '']) => ids.split(',').map((id) => id.trim()));

test('every promise is cited by a test, or its gap is known', () => {
  const covered = new Set([...cited, ...knownGaps.map(({ id }) => id)]);
  expect([...requirements.keys()].filter((id) => !covered.has(id))).toEqual([]);
});

test('tests cite nothing that was not promised', () => {
  expect(cited.filter((id) => !requirements.has(id))).toEqual([]);
  expect(knownGaps.filter(({ id }) => !requirements.has(id))).toEqual([]);
});

test('a promise is one sentence', () => {
  const odd = [...requirements].filter(([, claim]) => !/^[A-Z/a-z].{10,160}\.$/.test(claim));
  expect(odd).toEqual([]);
});

test.fails.each(knownGaps.map((gap) => [gap.id, gap] as const))('known gap: %s', (_, { check }) =>
  check(),
);
