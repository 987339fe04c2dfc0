import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolIds } from '../../../../runtime/adapters/mcp/tools/tool-ids.ts';

const idsOf = (...names: string[]) => [...toolIds('gh', names).values()];

test('a name that is one word in snake_case is kept, others are brought into that form', () => {
  expect(
    idsOf('search_code', 'createIssue', 'get-file', 'repo/list.all', '2fa', 'HTTPGet'),
  ).toEqual([
    'mcp.gh.search_code',
    'mcp.gh.create_issue',
    'mcp.gh.get_file',
    'mcp.gh.repo_list_all',
    'mcp.gh.tool_2fa',
    'mcp.gh.httpget',
  ]);
});

test('words that cannot stand behind a dot in a program get an underscore', () => {
  expect(idsOf('import', 'then', 'Class')).toEqual([
    'mcp.gh.import_',
    'mcp.gh.then_',
    'mcp.gh.class_',
  ]);
});

test('names that would lead to one id get different ids, and the plain one keeps its own', () => {
  const [plain, other, third] = idsOf('get_file', 'get-file', 'getFile');
  expect(plain).toBe('mcp.gh.get_file');
  expect(other).toMatch(/^mcp\.gh\.get_file_[0-9a-f]{6}$/);
  expect(third).toMatch(/^mcp\.gh\.get_file_[0-9a-f]{6}$/);
  expect(other).not.toBe(third);
});

// proves: mcp.names
test('whatever the names, each id fits programs and providers, leads back to one name, and does not depend on the order', () => {
  const letter = fc.constantFrom('a', 'b', 'B', '_', '-', '.', '1', 'é', '…', '\n', '🙂', '\ud800');
  const name = fc.array(letter, { minLength: 1, maxLength: 70 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
      const ids = toolIds('server', names);
      const values = [...ids.values()];
      const unfit = values.filter(
        (id) => !/^mcp\.server\.[a-z][a-z0-9_]*$/.test(id) || id.replaceAll('.', '__').length > 64,
      );
      expect(unfit).toEqual([]);
      expect(new Set(values).size).toBe(names.length);
      const turned = toolIds('server', names.toReversed());
      expect(names.map((each) => turned.get(each))).toEqual(values);
    }),
  );
});
