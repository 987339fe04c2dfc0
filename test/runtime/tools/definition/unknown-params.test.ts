import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import { parseInput, toParameters } from '../../../../runtime/tools/definition/schema.ts';

const item = z.object({ path: z.string(), line_start: z.int().optional() });
const search = z.object({
  query: z.string(),
  max_results: z.int().default(5),
  items: z.array(item).optional(),
  where: z
    .discriminatedUnion('by', [
      z.object({ by: z.literal('day'), day: z.string() }),
      z.object({ by: z.literal('range'), from: z.string(), to: z.string() }),
    ])
    .optional(),
  tags: z.record(z.string(), z.string()).optional(),
  more: z.looseObject({ known: z.string().optional() }).nullable().optional(),
});

function violations(schema: z.ZodType, input: JsonObject) {
  const parsed = parseInput(schema, input, toParameters(schema));
  return parsed.ok ? [] : parsed.violations;
}

test('an unknown parameter is refused by name, with the nearest known one', () => {
  // proves: tools.unknown-parameter
  expect(violations(search, { query: 'x', maxResult: 3 })).toEqual([
    {
      path: 'maxResult',
      message: 'unknown parameter; did you mean max_results? Others: items, where, tags, more',
    },
  ]);
});

// proves: tools.unknown-parameter
test('a parameter is suggested only if it is alike and not there yet', () => {
  const says = (input: JsonObject) => violations(search, input).map(({ message }) => message);
  expect(says({ query: 'x', limit: 5 })).toEqual([
    'unknown parameter; there are also max_results, items, where, tags, more',
  ]);
  expect(says({ search_query: 'x' })).toEqual([
    'required (string)',
    'unknown parameter; did you mean query? Others: max_results, items, where, tags, more',
  ]);
});

// proves: tools.unknown-parameter
test('a parameter that the catalogue leaves out is accepted, but not suggested', () => {
  const schema = search.extend({ mode: z.string().optional().meta({ unlisted: true }) });
  expect(violations(schema, { query: 'x', mode: 'fast' })).toEqual([]);
  const [{ message = '' } = {}] = violations(schema, { query: 'x', mod: 'fast' });
  expect(message).toBe('unknown parameter; there are also max_results, items, where, tags, more');
  const only = z.object({ mode: z.string().optional().meta({ unlisted: true }) });
  expect(violations(only, { mod: 'fast' })).toEqual([
    { path: 'mod', message: 'unknown parameter: leave it out' },
  ]);
});

test('an unknown parameter in a list, or in the nearest of several alternatives, is refused too', () => {
  const input = {
    query: 'x',
    items: [{ path: 'a' }, { path: 'b', line: 3 }],
    where: { by: 'day', day: 'today', to: 'then' },
  };
  expect(violations(search, input).map(({ path }) => path)).toEqual(['items[1].line', 'where.to']);
});

test('a schema that takes any name accepts any name, and an undefined value is ignored', () => {
  const input = { query: 'x', tags: { a: 'b' }, more: { any: 1 }, size: null };
  expect(violations(search, input)).toEqual([]);
  expect(violations(z.looseObject({ a: z.string() }), { a: 'x', b: 1 })).toEqual([]);
  expect(violations(z.object({ a: z.string() }).catchall(z.int()), { a: 'x', b: 1 })).toEqual([]);
  expect(violations(z.record(z.string(), z.int()), { b: 1 })).toEqual([]);
});

test('the catalogue says that a tool has no parameters', () => {
  expect(violations(z.object({}), { a: 1 })).toEqual([
    { path: 'a', message: 'unknown parameter: leave it out' },
  ]);
});

test('a strict object reports an unknown parameter once', () => {
  expect(violations(z.strictObject({ a: z.int() }), { a: 1, b: 1 })).toHaveLength(1);
});

test('a long list of long unknown names is reported within limits', () => {
  const names = Array.from({ length: 2_000 }, (_, n) => [`${'long'.repeat(500)}${n}`, 1] as const);
  const found = violations(search, { query: 'x', ...Object.fromEntries(names) });
  expect(found).toHaveLength(20);
  expect(Math.max(...found.map(({ path }) => path.length))).toBeLessThan(200);
});
