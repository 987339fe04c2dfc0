import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparedLineBytesMin, inputNamesMax } from '../../../supervisor/protocol/limits.ts';
import { membersMax, outlineOf } from '../../../supervisor/protocol/outline.ts';

// proves: exec.frames, exec.budget

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 4 }), {
  maxKeys: membersMax,
  minKeys: 1,
});

test('the outline of any object has the members that JSON has, and counts values and names', () => {
  fc.assert(
    fc.property(object, fc.nat(2), (value, spaces) => {
      const outline = outlineOf(Buffer.from(JSON.stringify(value, null, spaces)));
      const members = (outline?.members ?? []).map(({ name, value: found }) => [
        JSON.parse(name.toString()),
        JSON.parse(found.toString()),
      ]);
      expect(members).toEqual(Object.entries(JSON.parse(JSON.stringify(value))));
      expect(outline?.values).toBeGreaterThanOrEqual(leaves(value));
      expect(outline?.depth).toBe(depthOf(value));
    }),
  );
});

test('a line that is not exactly one object has no outline', () => {
  const texts = ['', '1', '[]', '"{}"', '{', '}', '{}{}', '{},{}', ' {}', '{} ', '{"a":[}', '{]'];
  const more = ['{"a":1}"}', '{"a":1},"}', '{"a":{"b":1}', '{"a":1}}', '{"a":"}', '{"a":"\\"}'];
  for (const text of [...texts, ...more]) {
    expect([text, outlineOf(Buffer.from(text))]).toEqual([text, undefined]);
  }
});

test('in a long line each different name is counted once', () => {
  const rows = Array.from({ length: 10_000 }, () => ({ first: 1, second: 2, third: 3 }));
  const keys = Array.from({ length: 3 * inputNamesMax }, (_, n) => [`name ${n}`, n]);
  const [same, other] = [{ rows }, { rows: Object.fromEntries(keys) as unknown }].map((value) =>
    Buffer.from(JSON.stringify(value)),
  );
  expect(same?.length).toBeGreaterThan(comparedLineBytesMin);
  expect(outlineOf(same ?? Buffer.of())?.names).toBeLessThanOrEqual(4);
  expect(outlineOf(other ?? Buffer.of())?.names).toBeGreaterThan(inputNamesMax);
});

function leaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + leaves(each), 0);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
