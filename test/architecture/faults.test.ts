import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faults } from '../../runtime/base/faults.ts';
import { root, sources } from './tree.ts';

// proves: house.faults

const page = readFileSync(join(root, 'docs/reference/faults.md'), 'utf8');

/** Code, kind and text of each row. */
const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\w+) \| (.+?) \|/gm)].map(([, ...row]) => row);

test('the page of faults says what the program says, code by code', () => {
  const known = Object.entries(faults).map(([code, { kind, text }]) => [code, kind, text]);
  expect(rows.toSorted()).toEqual(known.toSorted());
});

test('every fault is thrown somewhere', () => {
  const text = sources()
    .filter(({ file }) => file !== 'runtime/base/faults.ts')
    .map((each) => each.text)
    .join('\n');
  expect(Object.keys(faults).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
});
