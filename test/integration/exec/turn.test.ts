import { defineAgent, defineBundle, defineTool } from 'timeloom/sdk';
import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Turn } from '../../../runtime/client/api/types.ts';

// proves: exec.steered, exec.live

const maker = defineAgent({
  id: 'maker',
  instruction: 'You write programs.',
  tools: ['exec_tools.*'],
  exec: { timeoutMs: 20_000 },
});
const bundle = defineBundle({ id: 'maker', version: '1.0.0', agents: [maker] });

function program(code: string, input: Record<string, unknown> = {}) {
  return { code, call: { tool: 'exec_tools.execute_code_python', input } } as never;
}

/** Until the program has printed; what came before that is passed by. */
async function printed(turn: Turn): Promise<string> {
  for await (const event of turn.events()) {
    if (event.type !== 'chat.step' || event.event.step !== 'chat.exec.output') continue;
    const data = event.data;
    if (typeof data === 'object' && data !== null && 'text' in data) return String(data['text']);
  }
  throw new Error('nothing was printed');
}

const slow = `open(f"{OUTPUT_DIR}/outputs/part.csv", "w").write("half")
print("written", flush=True)
import time
time.sleep(60)`;
const contract = [
  { filepath: 'outputs/part.csv', description: '' },
  { filepath: 'outputs/rest.csv', description: '' },
];

test('a steer stops a running program, keeps what it made, and the model goes on with it', async () => {
  await using runtime = await openRuntime({
    bundle,
    exec: 'process',
    model: [program(slow, { contract }), { answer: 'Half of it, then.' }],
  });
  const turn = await runtime.send('Make both files');
  expect(await printed(turn)).toBe('written\n');
  await turn.steer('the first one is enough');
  const { text, files } = await turn.done();
  expect(text).toBe('Half of it, then.');
  expect(files.map(({ path }) => path)).toEqual([`fi:${turn.id}.outputs/part.csv`]);
  const results = (await turn.blocks()).filter(({ type }) => type === 'react.tool.result');
  expect(results).toHaveLength(1);
  expect(results[0]?.data).toMatchObject({ ok: false, error: { code: 'interrupted' } });
  expect(results[0]?.text).toContain('outputs/part.csv');
  expect(results[0]?.text).toContain('written');
  expect(runtime.model.requests[1]?.text).toContain('the first one is enough');
});

test('a program without a contract gives the model what it prints', async () => {
  await using runtime = await openRuntime({
    bundle,
    exec: 'process',
    model: [program('print(6 * 7)'), { answer: '42' }],
  });
  const turn = await runtime.send('How much is it?');
  await turn.done();
  expect(runtime.model.requests[1]?.text).toMatch(/## Output\n+```\n42/);
});

test('a program past its time tells the model what it had made by then', async () => {
  await using runtime = await openRuntime({
    bundle,
    exec: 'process',
    model: [program(slow, { contract, timeout_s: 1.5 }), { answer: 'It took too long.' }],
  });
  const turn = await runtime.send('Make both files');
  const { files } = await turn.done();
  expect(files.map(({ path }) => path)).toEqual([`fi:${turn.id}.outputs/part.csv`]);
  expect(runtime.model.requests[1]?.text).toContain('stopped at its time limit');
});

const series = defineTool({
  id: 'desk.series',
  description: 'Writes a series to a file.',
  input: z.object({ days: z.number() }),
  run: ({ days }, ctx) => {
    const rows = Array.from({ length: days }, (_, day) => `${day};${day * day}`);
    return ctx.files.write('outputs/series.csv', rows.join('\n'));
  },
});
const analyst = defineAgent({
  id: 'analyst',
  instruction: 'You write programs.',
  tools: [series, 'exec_tools.*'],
});
const desk = defineBundle({ id: 'desk', version: '1.0.0', agents: [analyst] });

const opens = {
  python: `ref = await tools.desk.series(days=100_000)
rows = open(await ctx_tools.fetch_file(ref["path"])).read().split("\\n")
print(len(rows), rows[-1])`,
  javascript: `const ref = await tools.desk.series({ days: 100_000 });
const rows = require('node:fs').readFileSync(await ctx_tools.fetch_file(ref), 'utf8').split('\\n');
console.log(rows.length, rows.at(-1));`,
} as const;

// proves: exec.handles
test.each(['python', 'javascript'] as const)(
  'a program in %s opens what a tool of its bundle wrote for it, and the turn keeps it as a file',
  async (language) => {
    const tool = `exec_tools.execute_code_${language}`;
    await using runtime = await openRuntime({
      bundle: desk,
      exec: 'process',
      model: [
        { code: opens[language], call: { tool, input: {} } },
        { answer: 'A hundred thousand days.' },
      ],
    });
    const turn = await runtime.send('Compute the series');
    const { files } = await turn.done();
    expect(runtime.model.requests[1]?.text).toContain('100000 99999;9999800001');
    expect(files.map(({ path }) => path)).toEqual([`fi:${turn.id}.outputs/series.csv`]);
  },
);
