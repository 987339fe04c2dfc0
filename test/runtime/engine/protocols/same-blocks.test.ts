import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { protocols } from '../../../../runtime/channels/protocol/reply-piece.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { runs } from '../../../tools/runs.ts';
import { add } from '../kit/harness.ts';
import { comparable, logOf } from './protocol-kit.ts';

// proves: protocol.same-blocks

const python = createTool({
  id: 'exec_tools.execute_code_python',
  description: 'Runs a program.',
  kind: 'exec',
  language: 'python',
  traits: ['exploitation'],
  input: z.object({ contract: z.array(z.object({ filepath: z.string() })).optional() }),
  run: async (_, { code }) => ({ result: { ok: true, ret: code?.text ?? null } }),
});
const note = createTool({
  id: 'desk.note',
  description: 'Keeps a note.',
  kind: 'bundle',
  traits: ['neutral'],
  input: z.object({ text: z.string() }),
  run: async ({ text }) => ({ result: { ok: true, ret: text } }),
});

const line = fc.constantFrom(
  'Sure.',
  'It is **3**.',
  'a "quoted" word',
  'two\nlines',
  'ünïcode 😀',
  'x < y & `z`',
);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

const beside = fc.record(
  {
    thinking: line,
    timeline_text: line,
    internal: line,
    canvas: fc.record({
      name: fc.constant('board.md'),
      mime: fc.constant('text/markdown'),
      text: line,
    }),
  },
  { requiredKeys: [] },
);
const calls = fc.oneof(
  fc.record({
    notes: optional(line),
    call: fc.record({
      tool: fc.constant('math.add'),
      input: fc.record({ a: fc.nat(9), b: fc.nat(9) }),
    }),
  }),
  fc.record({
    notes: optional(line),
    code: fc.constantFrom('print(1)', 'a = "}}"\nprint(a)', "s = '</channel:code>'"),
    call: fc.constant({
      tool: 'exec_tools.execute_code_python',
      input: { contract: [{ filepath: 'outputs/a.txt' }] },
    }),
  }),
  fc
    .array(
      fc.record({ tool: fc.constant('desk.note'), input: fc.record({ text: line }), notes: line }),
      { minLength: 1, maxLength: 2 },
    )
    .map((call) => ({ call })),
);
const ends = fc.record(
  {
    answer: line,
    followups: fc.array(fc.constantFrom('And 4?', 'And by month?'), { minLength: 1, maxLength: 2 }),
    summary: fc.constant('Goal: a sum. Outcome: 3.'),
    exit: fc.constant(true as const),
  },
  { requiredKeys: ['answer'] },
);
const script = fc
  .tuple(fc.array(fc.tuple(beside, calls), { maxLength: 3 }), beside, ends)
  .map(([rounds, last, end]) =>
    [...rounds.map(([said, call]) => ({ ...said, ...call })), { ...last, ...end }].map(
      withoutUndefined,
    ),
  );

test('the same script gives the same blocks in every protocol', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (replies) => {
      const tools = [add, note, python];
      const agent = {
        policies: { ...agentDefaults.policies, multiAction: 'safe_fanout' as const },
      };
      const options = { agent, tools };
      const expected = comparable(await logOf('channels', replies, options));
      for (const protocol of protocols.slice(1)) {
        expect(comparable(await logOf(protocol, replies, options)), protocol).toEqual(expected);
      }
    }),
    runs(40),
  );
}, 60_000);

function withoutUndefined(reply: object): Reply {
  return Object.fromEntries(
    Object.entries(reply).filter(([, value]) => value !== undefined),
  ) as Reply;
}
