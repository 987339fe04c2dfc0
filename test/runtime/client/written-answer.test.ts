import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../runtime/adapters/models/scripted/reply.ts';
import { defineAgent, defineBundle, defineTool, starters } from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const add = defineTool({
  id: 'math.add',
  description: 'Adds two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const look: Reply = { call: { tool: 'math.add', input: { a: 2, b: 3 } } };
const bundleOf = (agent: ReturnType<typeof defineAgent>) =>
  defineBundle({ id: 'sums', version: '1', agents: [agent] });

// proves: answer.synthesize
test('a client receives the written answer alone, in pieces, with the usage of all roles', async () => {
  const agent = defineAgent({ ...starters.fim, id: 'main', instruction: 'Add.', tools: [add] });
  const written: Reply = { role: 'answer', answer: 'The sum of 2 and 3 is **5**.' };
  const model = [look, { answer: 'sum 5' }, written];
  await using runtime = await openRuntime({ bundle: bundleOf(agent), model });
  const turn = await runtime.send('What is 2 + 3?');
  const pieces: string[] = [];
  for await (const { text } of turn.channel('answer')) pieces.push(text);
  expect(pieces.join('')).toBe('The sum of 2 and 3 is **5**.');
  expect(pieces.length).toBeGreaterThan(0);
  const done = await turn.done();
  expect(done).toMatchObject({
    reason: 'completed',
    text: 'The sum of 2 and 3 is **5**.',
    degraded: false,
  });
  const { decision, answer } = done.usageByRole;
  const tokens = (decision?.outputTokens ?? 0) + (answer?.outputTokens ?? 0);
  expect(done.usage.outputTokens).toBe(tokens);
});

// proves: answer.take-over
test('a server killed while it writes the answer writes it again after its start', async () => {
  const agent = defineAgent({
    id: 'main',
    instruction: 'Add.',
    tools: [add],
    answer: 'synthesize',
  });
  const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is', hold: 'half' };
  const written: Reply = { role: 'answer', answer: 'It is 5.' };
  const model = [look, { answer: 'sum 5' }, half, written];
  await using runtime = await openRuntime({ bundle: bundleOf(agent), model });
  const turn = await runtime.send('What is 2 + 3?');
  await runtime.model.held('half');
  await runtime.crash();
  expect(await turn.done()).toMatchObject({ reason: 'completed', text: 'It is 5.' });
  const blocks = await turn.blocks();
  expect(blocks.filter(({ type }) => type === 'assistant.completion')).toHaveLength(1);
});

// proves: output.invalid
test('a turn without an output that fits ends with output_invalid at its client', async () => {
  const output = z.object({ n: z.number() });
  const agent = defineAgent({ id: 'main', instruction: 'Add.', tools: [add], output });
  const model = Array.from({ length: 6 }, () => ({ answer: 'Five.', output: { n: 'five' } }));
  await using runtime = await openRuntime({ bundle: bundleOf(agent), model });
  const turn = await runtime.send('What is 2 + 3?');
  expect(await turn.done({ output })).toMatchObject({
    reason: 'failed',
    error: { code: 'output_invalid' },
  });
});
