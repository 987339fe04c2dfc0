import { join } from 'node:path';
import { defineAgent, defineBundle, defineTool, sandbox } from 'timeloom/sdk';
import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { scriptsAtOnceMax } from '../../../runtime/tools/exec/limits.ts';
import { root } from '../../architecture/tree.ts';
import { bundle as clerk } from '../../guide/library/with-script.ts';
import { openFolder } from '../../runtime/sdk/kit.ts';

// proves: sdk.sandbox-runs

const library = join(root, 'test/guide/library');
const asked = { tool: 'library.due', input: { lent: '2026-01-01', renewals: 1 } };
const answered = { due: ['2026-01-15', '2026-01-29'] };

/** What the model reads of the results of its calls. */
async function resultsOf(options: Omit<Parameters<typeof openRuntime>[0], 'model'>, call: object) {
  const model = [call, { answer: 'Done.' }] as never;
  await using runtime = await openRuntime({ ...options, model });
  const turn = await runtime.send('Go on');
  await turn.done();
  const results = (await turn.blocks()).filter(({ type }) => type === 'react.tool.result');
  return results.map(({ data, text }) => ({ data, text }));
}

test('the script of the guide answers a call of the model', async () => {
  const [result] = await resultsOf(
    { bundle: clerk, dir: library, exec: 'process' },
    { call: asked },
  );
  expect(result?.data).toEqual({ ok: true, ret: answered });
});

test('where programs are switched off, the call is refused and says so', async () => {
  const [result] = await resultsOf({ bundle: clerk, dir: library }, { call: asked });
  expect(result?.data).toMatchObject({ ok: false, error: { code: 'exec_unavailable' } });
  expect(result?.text).toContain('TIMELOOM_EXEC_MODE=off');
});

const many = 2 * scriptsAtOnceMax;
const programs = {
  python: `import asyncio
days = await asyncio.gather(*(tools.library.due(lent="2026-01-01", renewals=n % 3) for n in range(${many})))
print(sum(len(one["due"]) for one in days), days[1]["due"])`,
  javascript: `const numbers = Array.from({ length: ${many} }, (_, n) => n % 3);
const days = await Promise.all(numbers.map((renewals) => tools.library.due({ lent: '2026-01-01', renewals })));
console.log(days.flatMap(({ due }) => due).length, JSON.stringify(days[1].due));`,
} as const;

test.each(['python', 'javascript'] as const)(
  'a program in %s calls more scripts at a time than run at once, and gets the result of each',
  async (language) => {
    const call = { tool: `exec_tools.execute_code_${language}`, input: {} };
    const options = { bundle: clerk, dir: library, exec: 'process' } as const;
    const [result] = await resultsOf(options, { code: programs[language], call });
    expect(result?.data).toMatchObject({ ok: true, ret: { calls_total: many } });
    const dues = Array.from({ length: many }, (_, n) => (n % 3) + 1).reduce((sum, n) => sum + n);
    expect(result?.text).toContain(`${dues} [`);
    expect(result?.text).toContain('2026-01-29');
  },
);

test('a tool calls one whose work is a script, which finds the files of the turn', async () => {
  await using folder = await openFolder({
    'count.mjs': `import { readFileSync } from 'node:fs';
const text = readFileSync(OUTPUT_DIR + '/' + INPUT.file, 'utf8');
RESULT = { lines: text.split('\\n').length };`,
  });
  const count = defineTool({
    id: 'desk.count',
    description: 'Counts lines.',
    input: z.object({ file: z.string() }),
    output: z.object({ lines: z.number() }),
    run: sandbox({ file: 'count.mjs' }),
  });
  const twice = defineTool({
    id: 'desk.twice',
    description: 'Counts them twice.',
    input: z.object({}),
    run: async (_, ctx) => {
      const { lines } = await ctx.call(count, { file: 'attachments/a.txt' });
      return 2 * lines;
    },
  });
  const agent = defineAgent({ id: 'main', instruction: 'Help.', tools: [count, twice] });
  const bundle = defineBundle({ id: 'desk', version: '1', agents: [agent] });
  const model = [{ call: { tool: 'desk.twice', input: {} } }, { answer: 'Six.' }];
  await using runtime = await openRuntime({ bundle, dir: folder.dir, exec: 'process', model });
  const conversation = runtime.connect().conversation();
  const file = new File(['a\nb\nc'], 'a.txt', { type: 'text/plain' });
  const turn = await conversation.send('How many?', { attachments: [file] });
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toEqual({ ok: true, ret: 6 });
});
