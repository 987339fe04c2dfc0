import { expect, test } from 'vitest';
import { outputByJsonSchema } from '../../../../runtime/tools/definition/output-schema.ts';

// proves: openai.json
test('an output is checked against its JSON Schema, without its patterns', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'number' } },
    required: ['city'],
  };
  const output = outputByJsonSchema(schema);
  expect(output.schema).toBe(schema);
  expect(output.parse({ city: 'Oslo', pattern: 1 })).toMatchObject({ ok: true });
  expect(output.parse({ pattern: 'x' })).toMatchObject({
    ok: false,
    violations: [{ path: 'city' }, { path: 'pattern' }],
  });
});

test('a schema that cannot be checked is refused', () => {
  const refused = () => outputByJsonSchema({ $ref: '#/$defs/none' });
  expect(refused).toThrow('options.output');
});
