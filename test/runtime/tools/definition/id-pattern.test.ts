import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesPattern } from '../../../../runtime/tools/definition/id-pattern.ts';

test('a star matches any run of characters, and every other character matches itself', () => {
  expect(matchesPattern('web_tools.*', 'web_tools.search')).toBe(true);
  expect(matchesPattern('mcp.github.*', 'mcp.github.search.code')).toBe(true);
  expect(matchesPattern('*.search', 'web.search')).toBe(true);
  expect(matchesPattern('a*a', 'a')).toBe(false);
  expect(matchesPattern('a.c', 'abc')).toBe(false);
  expect(matchesPattern('web', 'web.search')).toBe(false);
});

test('it agrees with the equivalent regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 });
  const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, (stars, id) => {
      const regex = new RegExp(`^${stars.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
      return matchesPattern(stars, id) === regex.test(id);
    }),
  );
});
