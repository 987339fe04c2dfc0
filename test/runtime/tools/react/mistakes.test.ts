import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../../../runtime/base/json.ts';
import { runCall } from '../../../../runtime/tools/calls/run-call.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { runs } from '../../../tools/runs.ts';
import { openWorld, past, turn } from '../kit.ts';

const strings: readonly string[] = [
  '',
  ' ',
  'outputs/a.json',
  'outputs/../../etc/passwd',
  `fi:${turn}.outputs/a.json`,
  `fi:${turn}.outputs/raw.txt`,
  `fi:${past}.outputs/`,
  `ar:${past}.user.prompt`,
  `conv:ar:conv_other.${past}.user.prompt`,
  `tc:${turn}.tc_1.result`,
  'so:sources_pool[9-1]',
  'so:sources_pool[1-999999999]',
  'sk:none',
  'ks:../x',
  'ref:outputs/a.json',
  'ref:so:sources_pool[1]',
  'plan:none',
  'new',
  'replace',
  'activate',
  'canvas',
  'internal',
  'timeline',
  '(a+)+$',
  '[',
  '@@ -1 +1 @@\n-x\n+y\n',
  '--- a\n+++ b\n@@ -99999999999 +1 @@\n x\n',
  '\u0000',
  '\ud800',
  'x'.repeat(5_000),
];
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...strings) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(...strings), { maxLength: 4 }) },
  fc.constantFrom(0, 1, -1, 2 ** 53, 1e308, 0.5, true, false, null),
  fc.record({
    path: fc.constantFrom(...strings),
    line_start: fc.integer(),
    line_count: fc.integer(),
  }),
  fc.array(
    fc.record({
      path: fc.constantFrom(...strings),
      offset_text_symbols: fc.nat({ max: 100_000 }),
      max_text_symbols: fc.integer({ min: 1, max: 50 }),
    }),
    { maxLength: 2 },
  ),
);

/** Input for one tool: some of its parameters, in any order, well or badly filled. */
function inputOf(parameters: JsonObject): fc.Arbitrary<JsonObject> {
  const { properties } = parameters;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return fc
    .shuffledSubarray(names)
    .chain((keys) => fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), value))))
    .map((entries) => Object.fromEntries(entries));
}

// proves: tools.mistakes-recoverable
test.each(controlTools.map((tool) => [tool.spec.id, tool] as const))(
  'for any input, %s returns one result that the log can hold',
  async (_, tool) => {
    const world = await openWorld();
    await world.file(`fi:${turn}.outputs/a.json`, '{"a": 1}\n', 'application/json');
    await world.file(`fi:${turn}.outputs/raw.txt`, new Uint8Array([0xff, 0xfe, 0x00]));
    await fc.assert(
      fc.asyncProperty(inputOf(tool.spec.parameters), async (input) => {
        const context = await world.contextOf(tool, {});
        const { blobs } = world;
        const { result, preview, blocks } = await runCall({ tool, input, context, blobs });
        expect(blocks.filter(({ type }) => type === 'react.tool.result')).toHaveLength(1);
        expect(preview.length).toBeLessThanOrEqual(tool.spec.resultLimit);
        expect(JSON.stringify(blocks).isWellFormed()).toBe(true);
        if (!result.ok) expect(result.error.code).toMatch(/^(?!tool_failed)[a-z][\w.]+$/);
      }),
      runs(30),
    );
  },
);
