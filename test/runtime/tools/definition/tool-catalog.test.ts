import { expect, test } from 'vitest';
import { z } from 'zod';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { toReturns } from '../../../../runtime/tools/definition/schema.ts';
import {
  catalogText,
  skillCatalogText,
} from '../../../../runtime/tools/definition/tool-catalog.ts';
import { returnsCharsMax } from '../../../../runtime/tools/limits.ts';

const find = createTool({
  id: 'crm.find',
  kind: 'bundle',
  description: 'Finds a customer.',
  traits: ['exploration'],
  input: z.object({
    name: z.string().describe('Any part\nof the name.'),
    limit: z.int().max(50).default(10),
    sort: z.enum(['name', 'age']).optional(),
    where: z
      .array(z.object({ field: z.string(), value: z.union([z.string(), z.number()]) }))
      .optional(),
  }),
  run: async () => ({ result: { ok: true, ret: [] } }),
});
const drop = createTool({
  id: 'crm.drop',
  kind: 'bundle',
  description: 'Drops one.',
  effects: 'unkeyed',
  input: z.object({}),
  run: async () => ({ result: { ok: true, ret: null } }),
});

test('a catalogue has the same bytes for the same tools in any order', () => {
  expect(catalogText([find.spec, drop.spec])).toBe(catalogText([drop.spec, find.spec]));
});

test('each tool is listed with its parameters in order', () => {
  expect(catalogText([find.spec, drop.spec])).toBe(
    [
      '### crm.drop',
      'Drops one.',
      'traits: none, so alone in its reply · has effects',
      'parameters: none',
      '',
      '### crm.find',
      'Finds a customer.',
      'traits: exploration',
      'parameters:',
      '- name: string — Any part of the name.',
      '- limit?: integer (≤ 50) = 10',
      '- sort?: "name" | "age"',
      '- where?: { field: string, value: string | number }[]',
    ].join('\n'),
  );
});

test('a declared return type is listed in one line, and cut if it is long', () => {
  const returns = toReturns(
    z.object({ month: z.int(), rows: z.array(z.object({ a: z.string() })) }),
  );
  const line = catalogText([{ ...find.spec, returns }])
    .split('\n')
    .at(-1);
  expect(line).toBe('returns: { month: integer, rows: { a: string }[] }');
  const names = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`n${n}`, z.string()]));
  const long = catalogText([{ ...find.spec, returns: toReturns(z.object(names)) }]);
  expect(long.split('\n').at(-1)).toHaveLength('returns: '.length + returnsCharsMax + 1);
});

test('skills are one line each, by id', () => {
  const skills = [
    { id: 'b.y', name: 'Y', description: 'why\nnot' },
    { id: 'a.x', name: 'X', description: 'ex' },
  ];
  expect(skillCatalogText(skills)).toBe('- sk:a.x · X: ex\n- sk:b.y · Y: why not');
});
