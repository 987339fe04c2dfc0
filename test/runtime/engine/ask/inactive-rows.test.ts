import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { inactiveRows } from '../../../../runtime/engine/perform/ask/inactive-rows.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';

const id = fc.stringMatching(/^[a-z]{1,40}\.[a-z]{1,40}$/);

function rowsOf(ids: readonly string[], groups: readonly string[]) {
  const hidden = ids.map((each) =>
    createTool({
      id: each,
      description: 'x',
      kind: 'bundle',
      input: z.object({}),
      run: async () => ({ result: { ok: true, ret: null } }),
    }),
  );
  const off = groups.map((name) => ({
    ...{ id: name, description: 'Later.', tools: [], active: false, on: false },
  }));
  const agent = 'b/main';
  return inactiveRows({ toolset: { agent, groups: off, tools: ids, hidden, described: [] } });
}

// proves: visibility.announced
test('every hidden tool is named in short rows, or counted', () => {
  fc.assert(
    fc.property(fc.uniqueArray(id, { minLength: 1, maxLength: 60 }), (ids) => {
      const rows = rowsOf(ids, []);
      expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(300);
      const named = ids.filter((each) => rows.some((row) => row.split(/[ ,]+/).includes(each)));
      const [, left = '0'] = /… (\d+) more tools/.exec(rows.join('\n')) ?? [];
      expect(named.length + Number(left)).toBe(ids.length);
    }),
  );
});

// proves: visibility.announced
test('many groups are counted, and nothing hidden gives no row', () => {
  const rows = rowsOf(
    [],
    Array.from({ length: 30 }, (_, index) => `g${index}`),
  );
  expect(rows).toHaveLength(22);
  expect(rows[20]).toBe('… 10 more groups');
  expect(rowsOf([], [])).toEqual([]);
});
