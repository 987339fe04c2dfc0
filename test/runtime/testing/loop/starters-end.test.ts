import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool, starters } from '../../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../../runtime/testing/index.ts';

const add = defineTool({
  id: 'math.add',
  description: 'Adds.',
  input: z.object({ a: z.number() }),
  traits: ['exploration'],
  effects: 'none',
  run: ({ a }) => a + 1,
});
const bundleOf = (name: keyof typeof starters, rounds: number) => {
  const { budgets, ...options } = starters[name];
  const agent = defineAgent({
    ...options,
    id: 'main',
    instruction: 'x',
    tools: [add],
    budgets: { ...budgets, rounds },
  });
  return defineBundle({ id: 'acme', version: '1', agents: [agent] });
};
const call = (a: number) => ({ call: { tool: 'math.add', input: { a } } });
const steps = '\n\nSteps:\n- math.add: OK\n- math.add: OK';

// proves: starters.numbers
test('fim has no finalizing call: at the cap the steps are the answer', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf('fim', 2),
    model: [call(1), call(2)],
  });
  const ended = await (await runtime.send('Go')).done();
  expect(ended.reason).toBe('exhausted');
  expect(ended.text).toContain(steps);
  expect(runtime.model.requests).toHaveLength(2);
});

// proves: starters.numbers
test('agentscope has one finalizing call at the cap', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf('agentscope', 2),
    model: [call(1), call(2), { answer: 'In short: 2 and 3.' }],
  });
  const ended = await (await runtime.send('Go')).done();
  expect(ended).toMatchObject({ reason: 'exhausted', text: 'In short: 2 and 3.' });
});

// proves: starters.numbers
test('graph fails at the first unusable reply, with what was done until then', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf('graph', 12),
    model: [call(1), { raw: '<channel:thinking>Hm.</channel:thinking>' }],
  });
  const ended = await (await runtime.send('Go')).done();
  expect(ended).toMatchObject({
    reason: 'failed',
    error: { code: 'MODEL_MALFORMED' },
    text: 'This turn failed before there was an answer.\n\nSteps:\n- math.add: OK',
  });
});

// proves: starters.numbers
test('small works within 8,000 tokens, prompt and output together', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf('small', 8),
    model: [call(1), { answer: 'Two.' }],
  });
  const ended = await (await runtime.send('Go')).done();
  expect(ended).toMatchObject({ reason: 'completed', text: 'Two.' });
});
