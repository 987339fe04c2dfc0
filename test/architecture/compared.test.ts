import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row, ShownBy } from '../requirements/compared/comparison.ts';
import { comparisons } from '../requirements/compared/comparisons.ts';
import { root } from './tree.ts';

const rows = comparisons.flatMap(({ system, rows: each }) => each.map((row) => ({ system, row })));

// proves: house.compared
test('every behaviour of a compared system is shown by a test, or differs for a reason', () => {
  expect(
    rows.flatMap(({ system, row }) => problemsOf(row).map((why) => `${system}: ${why}`)),
  ).toEqual([]);
});

test('a row without a test, with a test that is not there, or without a reason is found', () => {
  const here = 'test/architecture/compared.test.ts';
  const own = 'a row without a test, with a test that is not there, or without a reason is found';
  const row = (more: object) => ({ does: 'It works.', ...more }) as Row;
  expect(problemsOf(row({ shown: [[here, own]] }))).toEqual([]);
  expect(problemsOf(row({ shown: [] }))).toHaveLength(1);
  expect(problemsOf(row({ shown: [[here, `nothing of the ${'kind'}`]] }))).toHaveLength(1);
  expect(problemsOf(row({ shown: [['test/none.test.ts', own]] }))).toHaveLength(1);
  expect(
    problemsOf(row({ differs: 'It cannot.', instead: '', shown: [[here, own]] })),
  ).toHaveLength(1);
});

test('the guide has a section for each compared system', () => {
  const guide = readFileSync(join(root, 'docs/guide/coming-from.md'), 'utf8');
  const systems = new Set(comparisons.map(({ system }) => system));
  expect([...systems].filter((name) => !guide.includes(`\n## ${name}`))).toEqual([]);
});

test('no behaviour is listed twice', () => {
  const seen = rows.map(({ system, row }) => `${system}: ${row.does}`);
  expect(seen.filter((each, index) => seen.indexOf(each) !== index)).toEqual([]);
});

function problemsOf(row: Row): readonly string[] {
  const texts = 'differs' in row ? [row.does, row.differs, row.instead] : [row.does];
  const found = texts.every((text) => /^\S.{5,}\.$/.test(text))
    ? []
    : [`“${row.does}”: not a sentence`];
  if (row.shown.length === 0) found.push(`“${row.does}”: no test shows it`);
  return [...found, ...row.shown.flatMap((shown) => missing(shown, row.does))];
}

function missing([file, name]: ShownBy, does: string): readonly string[] {
  const path = join(root, file);
  const quoted = ["'", '"', '`'].map((quote) => `${quote}${name}${quote}`);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (quoted.some((each) => text.includes(each))) return [];
  return [`“${does}”: ${file} has no test “${name}”`];
}
