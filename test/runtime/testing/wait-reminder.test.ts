import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const from = (path: string) => JSON.stringify(import.meta.resolve(`../../../runtime/${path}`));
/** Runs a test as an author writes it, in a separate process, to read its stderr. */
const program = `
  const { defineAgent, defineBundle, defineTool, external } = await import(${from('sdk/index.ts')});
  const { openRuntime } = await import(${from('testing/index.ts')});
  const { z } = await import(${JSON.stringify(import.meta.resolve('zod'))});
  const tool = (id, more) => defineTool({ id, description: 'x', input: z.object({}), ...more });
  function deep() { throw new Error('the shelf is empty'); }
  const tools = [
    tool('shelf.lend', { approval: 'always', run: () => 1 }),
    tool('shelf.locate', { run: external() }),
    tool('shelf.look', { run: () => deep() }),
  ];
  const agents = [defineAgent({ id: 'main', instruction: 'x', tools })];
  const bundle = defineBundle({ id: 'shelf', version: '1', agents });
  const call = (name) => ({ call: { tool: 'shelf.' + name, input: {} } });
  await Promise.all(['lend', 'locate', 'look'].map(async (name) => {
    const model = [call(name), { answer: 'Done.' }];
    const runtime = await openRuntime({ bundle, model, dir: '.' });
    await (await runtime.send('Hello')).done();
  }));
`;

/** For a program in TypeScript, on a machine that is busy with much else. */
const startMsMax = 120_000;

/** Its stderr, until each of these has matched a line. */
async function stderrOf(wanted: readonly RegExp[]): Promise<string> {
  const args = ['--import', 'tsx', '--conditions=timeloom-source'];
  args.push('--input-type=module', '-e', program);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: string[] = [];
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      lines.push(line);
      if (wanted.every((each) => lines.some((said) => each.test(said)))) break;
    }
    return lines.join('\n');
  } finally {
    child.kill('SIGKILL');
  }
}

// proves: sdk.test-waits, sdk.source-traces
test('a test that forgets what a turn waits for, or whose tool throws, sees a message', {
  timeout: startMsMax,
}, async () => {
  const messages = [
    /the turn waits for an approval of shelf\.lend \(“Run shelf\.lend\?”\): call conversation\.decide\('tc_/,
    /waits for a client that runs shelf\.locate: runtime\.connect\(\{ tools: \{ 'shelf/,
    /at deep \(/,
  ];
  const said = await stderrOf(messages);
  for (const message of messages) expect(said).toMatch(message);
});
