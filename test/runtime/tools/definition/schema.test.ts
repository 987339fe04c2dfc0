import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput, toParameters } from '../../../../runtime/tools/definition/schema.ts';

const schema = z.object({
  count: z.int().max(9).default(1),
  paths: z.array(z.string()),
  deep: z.object({ on: z.boolean() }).optional(),
  kind: z.enum(['a', 'b']).default('a'),
  items: z.array(z.object({ n: z.number() })).optional(),
});

test('harmless mistakes are coerced: text for numbers, booleans and JSON, a single value for a list, null for an absent option', () => {
  const input = {
    count: '3',
    paths: 'one',
    deep: '{"on":"TRUE"}',
    kind: null,
    items: [{ n: '2.5' }],
  };
  expect(parseInput(schema, input)).toEqual({
    ok: true,
    input: { count: 3, paths: ['one'], deep: { on: true }, items: [{ n: 2.5 }] },
  });
  expect(parseInput(schema, { paths: '["a","b"]' })).toEqual({
    ok: true,
    input: { paths: ['a', 'b'] },
  });
});

test('valid input is returned as the same object', () => {
  const input = { paths: ['x'] };
  const parsed = parseInput(schema, input);
  expect(parsed.ok && parsed.input).toBe(input);
});

test('other input is refused with the path of every mistake', () => {
  const parsed = parseInput(schema, {
    count: 12,
    paths: [{}],
    kind: 'c',
    items: [{ n: 1 }, { n: 'many' }],
  });
  expect(parsed.ok).toBe(false);
  expect(!parsed.ok && parsed.violations.map(({ path }) => path)).toEqual([
    'count',
    'paths[0]',
    'kind',
    'items[1].n',
  ]);
});

test('a missing argument is named, and a null where something is required is missing', () => {
  const parsed = parseInput(schema, { paths: null });
  expect(!parsed.ok && parsed.violations).toMatchObject([{ path: 'paths' }]);
});

test('the model sees the schema in its order, without presets and without the bounds of safe integers', () => {
  const parameters = toParameters(schema, { without: ['paths'] });
  expect(Object.keys(Object(parameters['properties']))).toEqual(['count', 'deep', 'kind', 'items']);
  expect(parameters['required']).toEqual([]);
  expect(JSON.stringify(parameters)).not.toMatch(/9007199254740991|\$schema/);
});

test('text is not coerced into a number that cannot represent it', () => {
  const numbers = z.object({ n: z.number(), deep: z.object({ id: z.number() }).optional() });
  const refused = { n: '12345678901234567890', deep: '{"id":9007199254740993}' };
  const parsed = parseInput(numbers, refused);
  expect(!parsed.ok && parsed.violations.map(({ path }) => path)).toEqual(['n', 'deep']);
  const kept = { n: 3, deep: '{"id":4,"text":"12345678901234567890 \\" 9"}' };
  expect(parseInput(numbers, kept)).toEqual({
    ok: true,
    input: { n: 3, deep: { id: 4, text: '12345678901234567890 " 9' } },
  });
});
