import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  jsonDepthMax,
  jsonExcess,
  jsonValuesMax,
  readJson,
} from '../../../runtime/base/bounded-json.ts';
import { isPlainJson } from '../../../runtime/base/json.ts';
import { containing } from '../../tools/matchers.ts';

test('ordinary JSON is accepted, with any strings', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), fc.string(), (text, string) => {
      const value: unknown = JSON.parse(text);
      expect(readJson(text)).toEqual({ ok: true, value });
      const quoted = JSON.stringify([string, '[[[{{{"\\', string]);
      const list: unknown = JSON.parse(quoted);
      expect(readJson(quoted)).toEqual({ ok: true, value: list });
    }),
  );
});

test('invalid JSON does not throw', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'[]{}",:\\ a1') }),
      (text) => void readJson(text),
    ),
  );
  expect(readJson('{"a":')).toMatchObject({ ok: false, because: containing('JSON') });
});

test.each([
  ['as deep as allowed', '['.repeat(jsonDepthMax) + ']'.repeat(jsonDepthMax), undefined],
  ['one level deeper', '['.repeat(jsonDepthMax + 1), 'deeper than 64 levels'],
  ['as many values as allowed', `[${'0,'.repeat(jsonValuesMax - 1)}0]`, undefined],
  ['one value more', `[${'0,'.repeat(jsonValuesMax)}0]`, 'more than 50000 values'],
  ['brackets in a string', JSON.stringify('['.repeat(1_000_000)), undefined],
  ['a string without an end', `"${'a'.repeat(1_000_000)}`, undefined],
  ['escapes without an end', `"${'\\'.repeat(2_000_000)}`, 'tokens'],
])('%s', (_, text, excess) => {
  const found = jsonExcess(text);
  if (excess === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(excess);
});

test('a value is JSON only if all its parts are', () => {
  fc.assert(fc.property(fc.json(), (text) => isPlainJson(JSON.parse(text), 100_000)));
  let deep: unknown = 0;
  for (let n = 0; n < 100_000; n += 1) deep = [deep];
  const bad = [undefined, Number.NaN, new Date(), Buffer.from('a'), { a: [() => 0] }, 1n, deep];
  expect(bad.map((value) => isPlainJson(value, 1_000_000))).toEqual(bad.map(() => false));
  expect(isPlainJson([1, 2, 3], 4)).toBe(true);
  expect(isPlainJson([1, 2, 3], 3)).toBe(false);
});
