import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFunctionSet } from '../../../../runtime/adapters/sql/functions/function-set.ts';

/** The hash of the function files at each revision. A line of a released revision is never changed. */
const golden = join(import.meta.dirname, '../../../golden/functions.json');

// proves: store.functions
test('a changed function file has a new revision', () => {
  const released = JSON.parse(readFileSync(golden, 'utf8')) as Record<string, string>;
  const { revision, hash } = readFunctionSet();
  expect(Object.keys(released).map(Number)).toEqual(
    Array.from({ length: revision }, (_, index) => index + 1),
  );
  expect(
    released[revision],
    `raise functionRevision and add its hash to test/golden/functions.json: ${hash}`,
  ).toBe(hash);
});

test('a function file defines the function of its name and nothing else', () => {
  const { names, text } = readFunctionSet();
  const defined = [...text.matchAll(/^create or replace function (\w+)/gm)].map(([, name]) => name);
  expect(defined).toEqual(names);
  expect(text.match(/\$f\$/g)).toHaveLength(2 * names.length);
});
