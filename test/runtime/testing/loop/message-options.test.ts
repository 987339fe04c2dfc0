import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool } from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';

const add = defineTool({
  id: 'math.add',
  description: 'Adds.',
  input: z.object({ a: z.number() }),
  traits: ['exploration'],
  effects: 'none',
  run: ({ a }) => a + 1,
});
const bundleOf = (rounds: number) =>
  defineBundle({
    id: 'acme',
    version: '1',
    agents: [
      defineAgent({
        id: 'main',
        instruction: 'x',
        tools: [add, 'exec_tools.*'],
        budgets: { rounds },
      }),
    ],
  });
const call = { call: { tool: 'math.add', input: { a: 1 } } };
const other = { call: { tool: 'math.add', input: { a: 2 } } };

// proves: message.options
test('maxRounds limits the turn that its message opens, and no other', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf(15),
    model: [call, { answer: 'One.' }, call, other, { answer: 'Two.' }],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const first = await conversation.send('Go', { options: { maxRounds: 1 } });
  expect(await first.done()).toMatchObject({ reason: 'exhausted', text: 'One.' });
  const second = await conversation.send('Again');
  expect(await second.done()).toMatchObject({ reason: 'completed', text: 'Two.' });
});

// proves: message.options
test('maxRounds never gives a turn more rounds than its agent has', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf(1),
    model: [call, { answer: 'One.' }],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Go', { options: { maxRounds: 9 } });
  expect(await turn.done()).toMatchObject({ reason: 'exhausted', text: 'One.' });
});

// proves: message.options
test('with maxRounds 0 the turn has one finalizing call', async () => {
  await using runtime = await openRuntime({ bundle: bundleOf(9), model: [{ answer: 'Short.' }] });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Go', { options: { maxRounds: 0 } });
  expect(await turn.done()).toMatchObject({ reason: 'exhausted', text: 'Short.' });
  const opened = (await turn.blocks()).filter(({ type }) => type === 'round.open');
  expect(opened.map(({ data }) => data)).toMatchObject([{ phase: 'finalize' }]);
});

// proves: message.options
test('exec: false takes the exec tools from the prompt of this turn and refuses their calls', async () => {
  const program = {
    call: { tool: 'exec_tools.execute_code_python', input: {} },
    code: 'print(1)',
  };
  await using runtime = await openRuntime({
    bundle: bundleOf(9),
    model: [program, { answer: 'No program.' }, { answer: 'Hi.' }],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Go', { options: { exec: false } });
  expect((await turn.done()).text).toBe('No program.');
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.result')).toEqual(['react.tool.result tool_not_visible']);
  const next = await conversation.send('Again');
  await next.done();
  const catalogues = runtime.model.requests.map(({ tools }) =>
    tools.includes('exec_tools.execute_code_python'),
  );
  expect(catalogues).toEqual([false, false, true]);
});

// proves: message.options
test('options of a message that its turn could not answer apply to the turn that answers it', async () => {
  const fails = { thinking: 'Hm', hold: 'first', fault: { code: 'MODEL_REFUSED' } } as const;
  await using runtime = await openRuntime({
    bundle: bundleOf(9),
    model: [fails, call, { answer: 'Second.' }],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const first = await conversation.send('Go');
  await runtime.model.held('first');
  await conversation.send('And this', { options: { maxRounds: 1 } });
  runtime.model.release('first');
  expect((await first.done()).reason).toBe('failed');
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.complete') continue;
    expect(event.data).toMatchObject({ reason: 'exhausted', text: 'Second.' });
    break;
  }
});
