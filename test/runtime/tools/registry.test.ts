import { expect, test } from 'vitest';
import { z } from 'zod';
import { Fault } from '../../../runtime/base/fault.ts';
import { createTool } from '../../../runtime/tools/create-tool.ts';
import { createRegistry } from '../../../runtime/tools/registry.ts';
import type { ToolSpec } from '../../../runtime/tools/tool.ts';

function tool(id: string, kind: ToolSpec['kind'] = 'bundle') {
  return createTool({
    id,
    kind,
    description: `does ${id}`,
    input: z.object({}),
    run: async () => ({ result: { ok: true, ret: null } }),
  });
}

test('tools are found by id and seen by pattern, in the order of their ids', () => {
  const registry = createRegistry([tool('b.two'), tool('a.one'), tool('b.one')]);
  expect(registry.all.map(({ spec }) => spec.id)).toEqual(['a.one', 'b.one', 'b.two']);
  expect(registry.visible(['b.*']).map(({ spec }) => spec.id)).toEqual(['b.one', 'b.two']);
  expect(registry.find('a.one')?.spec.description).toBe('does a.one');
  expect(registry.find('a.two')).toBeUndefined();
});

test('blank, malformed, reserved and duplicate ids stop the load together, each named', () => {
  const bad = [
    tool(' '),
    tool('lonely'),
    tool('react.mine'),
    tool('mcp.x.y'),
    tool('a.b'),
    tool('a.b'),
  ];
  expect(() => createRegistry(bad)).toThrow(Fault);
  expect(() => createRegistry(bad)).toThrow(
    /no id.*lonely.*react\.mine.*reserved.*mcp\.x\.y.*reserved.*a\.b.*2 times/,
  );
});

test('the runtime itself may use the reserved ids', () => {
  expect(
    createRegistry([tool('react.read', 'control'), tool('mcp.x.y', 'platform')]).all,
  ).toHaveLength(2);
});
