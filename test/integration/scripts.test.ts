import { defineAgent, defineBundle, defineTool, sandbox } from 'timeloom/sdk';
import { openRuntime } from 'timeloom/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openFolder } from '../runtime/sdk/kit.ts';

const fit = `import math
print("fitting", flush=True)
RESULT = {"n": INPUT["n"] * 2, "root": math.sqrt(INPUT["n"])}
`;
const fitJs = `const { sqrt } = Math;
console.log('fitting');
const RESULT = { n: INPUT.n * 2, root: sqrt(INPUT.n) };`;

test.each([
  ['fit.py', fit],
  ['fit.mjs', fitJs],
  ['fit.js', fitJs],
])('%s', async (name, text) => {
  await using folder = await openFolder({ [`scripts/${name}`]: text });
  const tool = defineTool({
    id: 'stats.fit',
    description: 'Fits.',
    input: z.object({ n: z.number() }),
    run: sandbox({ file: `./scripts/${name}` }),
  });
  const agent = defineAgent({ id: 'main', instruction: 'Help.', tools: [tool] });
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [agent] });
  await using runtime = await openRuntime({
    bundle,
    dir: folder.dir,
    exec: 'process',
    model: [{ call: { tool: 'stats.fit', input: { n: 9 } } }, { answer: 'ok' }],
  });
  const turn = await runtime.send('Go');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toEqual({ ok: true, ret: { n: 18, root: 3 } });
});
