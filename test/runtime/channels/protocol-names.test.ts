import { expect, test } from 'vitest';
import { createToolNames, wireName } from '../../../runtime/channels/protocol/tool-names.ts';

// proves: protocol.names

test('a name has underscores for dots and at most 64 characters', () => {
  expect(wireName('mcp.github.search_code')).toBe('mcp__github__search_code');
  const [a, b] = ['a', 'b'].map((end) => `mcp.server.${'long_'.repeat(20)}${end}`);
  const names = createToolNames([a ?? '', b ?? '']);
  for (const id of [a, b]) {
    const name = names.nameOf(id ?? '');
    expect(name).toMatch(/^[\w-]{64}$/);
    expect(names.idOf(name)).toBe(id);
  }
  expect(names.collisions).toEqual([]);
});

test('ids that would share a name are reported, and have different names all the same', () => {
  const ids = ['a.b__c', 'a__b.c'];
  const names = createToolNames(ids);
  expect(names.collisions).toEqual([ids]);
  expect(ids.map((id) => names.idOf(names.nameOf(id)))).toEqual(ids);
});
