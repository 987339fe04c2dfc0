import fc from 'fast-check';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { add } from '../kit/harness.ts';

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
/** Scripts that keep to every protocol: replies with calls, then one that ends the turn. */
export const script = fc
  .tuple(fc.array(fc.tuple(beside, calls), { maxLength: 3 }), beside, ends)
  .map(([rounds, last, end]) =>
    [...rounds.map(([said, call]) => ({ ...said, ...call })), { ...last, ...end }].map(
      withoutUndefined,
    ),
  );

/** Tools of the scripts, for an agent whose replies may hold several actions. */
export const scripted = {
  tools: [add, note, python],
  agent: { policies: { ...agentDefaults.policies, multiAction: 'safe_fanout' as const } },
};

function withoutUndefined(reply: object): Reply {
  const said = Object.entries(reply).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as Reply;
}
