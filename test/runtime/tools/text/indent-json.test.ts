import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonTurnChars } from '../../../../runtime/tools/limits.ts';
import { indentJson } from '../../../../runtime/tools/text/indent-json.ts';
import { runs } from '../../../tools/runs.ts';

test('JSON is indented as JSON.stringify indents it', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('"', '\\', '[', ',', ':') }),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(text, fc.double({ noNaN: true }), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree')),
      fc.dictionary(text, tie('tree')),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(tree, async (value) => {
      expect(await indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
    runs(300),
  );
});

test('it yields to the event loop in long values, wherever they begin', async () => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    text: `"${'\\'.repeat(id % 9)}"`,
  }));
  const value = { long: 'x'.repeat(2 * jsonTurnChars), rows, end: [[], {}, [{}]] };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
  isOver = true;
  expect(turns).toBeGreaterThan(4);
});
