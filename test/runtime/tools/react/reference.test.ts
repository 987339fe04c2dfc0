import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/reference/tools.md'), 'utf8');
const folders = [
  'runtime/tools',
  'runtime/sdk',
  'runtime/timeline',
  'runtime/engine',
  'supervisor',
];
const code = folders
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
  .join('\n');

test('the reference page names every control tool with its parameters, and no other', () => {
  const rows = [...page.matchAll(/^\| `(react\.\w+)` \| (.*) \|$/gm)].map(([, id, names = '']) => [
    id,
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  ]);
  const tools = controlTools.map(({ spec }) => {
    const { properties } = spec.parameters;
    return [spec.id, isJsonObject(properties) ? Object.keys(properties) : []];
  });
  expect(rows).toEqual(tools);
});

test('every code and status on the reference page is in the code', () => {
  const codes = [...page.matchAll(/^\| ((?:`[\w.]+`(?:, )?)+) \|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name))
    .filter((name) => !/^react\.\w+$/.test(name));
  expect(codes.length).toBeGreaterThan(45);
  expect(codes.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});
