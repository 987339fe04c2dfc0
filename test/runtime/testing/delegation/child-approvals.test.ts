import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineBundle, defineTool, delegate } from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline, type TestRuntime } from '../../../../runtime/testing/index.ts';
import { dataOf, planCall, resultOf, team } from './run-plan-kit.ts';

const step = [{ id: 'pay', task: 'Pay the bill', agent: 'worker' }];
const pays = { call: { tool: 'shop.pay', input: { cents: 5 } } };

/** The question that the conversation of the turn shows. */
async function asked(turn: Awaited<ReturnType<TestRuntime['send']>>) {
  for await (const event of turn.events()) if (event.type === 'chat.approval') return event.data;
  throw new Error('no question was asked');
}

// proves: delegate.approvals
test.each([
  { allow: true, answer: 'Paid.', outcome: 'allowed', result: 'ok' },
  { allow: false, answer: 'Not paid.', outcome: 'denied', result: 'denied' },
])(
  'what the agent of a step asks a person is asked in the conversation of its caller (allow: $allow)',
  async ({ allow, answer, outcome, result }) => {
    await using runtime = await openRuntime({
      bundle: team(),
      model: [planCall(step), pays, { answer }, { answer: 'Done.' }],
    });
    const conversation = runtime.connect().conversation();
    const turn = await conversation.send('Pay it');
    const question = await asked(turn);
    expect(question).toMatchObject({ kind: 'agent', agent: 'worker', tool: 'shop.pay' });
    await conversation.decide(question.request, { allow });
    expect((await turn.done()).text).toBe('Done.');
    const blocks = await turn.blocks();
    expect(dataOf(blocks, 'approval.close')).toMatchObject([{ kind: 'agent', outcome }]);
    expect(resultOf(blocks)).toMatchObject({ ret: { steps: [{ ok: true, answer }] } });
    const child = runtime.connect().conversation(String(Object(question)['conversation']));
    const own = await child.blocks();
    expect(outline(own, 'react.tool.result')).toEqual([`react.tool.result ${result}`]);
    expect(dataOf(own, 'approval.decision')).toMatchObject([{ allow }]);
  },
);

// proves: delegate.approvals
test('a stop closes the questions of the agents that work for the turn', async () => {
  await using runtime = await openRuntime({ bundle: team(), model: [planCall(step), pays] });
  const turn = await runtime.send('Pay it');
  await asked(turn);
  await turn.stop();
  expect((await turn.done()).reason).toBe('interrupted');
  const closed = dataOf(await turn.blocks(), 'approval.close');
  expect(closed).toMatchObject([{ kind: 'agent', outcome: 'interrupted' }]);
});

// proves: delegate.approvals
test('a crash after the decision neither loses it nor decides twice', async () => {
  let crashed: Promise<void> | undefined;
  const onBlock = ({ type }: { type: string }) => {
    if (type === 'approval.decision') crashed ??= runtime.crash();
  };
  await using runtime = await openRuntime({
    bundle: team({ onBlock }),
    model: [planCall(step), pays, { answer: 'Paid.' }, { answer: 'Done.' }],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Pay it');
  const question = await asked(turn);
  await conversation.decide(question.request, { allow: true });
  expect((await turn.done()).text).toBe('Done.');
  expect(crashed).toBeDefined();
  await crashed;
  const child = runtime.connect().conversation(String(Object(question)['conversation']));
  expect(outline(await child.blocks(), 'approval', 'react.tool')).toEqual([
    'react.tool.call shop.pay',
    ...['approval.request', 'approval.decision', 'approval.close'],
    'react.tool.result ok',
  ]);
});

// proves: delegate.approvals
test('what the agent of a delegated call asks is asked in the conversation of its caller', async () => {
  const order = defineTool({
    ...{ id: 'desk.order', description: 'Orders.', input: z.object({ what: z.string() }) },
    run: delegate({ agent: 'buyer' }),
  });
  const buy = defineTool({
    ...{ id: 'shop.buy', description: 'Buys.', input: z.object({}), approval: 'always' },
    run: async () => 'bought',
  });
  await using runtime = await openRuntime({
    bundle: defineBundle({
      ...{ id: 'desk', version: '1' },
      agents: [
        defineAgent({ id: 'main', instruction: 'Order.', tools: [order] }),
        defineAgent({ id: 'buyer', instruction: 'Buy.', tools: [buy] }),
      ],
    }),
    model: [
      { call: { tool: 'desk.order', input: { what: 'tea' } } },
      { call: { tool: 'shop.buy', input: {} } },
      { answer: 'Bought tea.' },
      { answer: 'Tea is on its way.' },
    ],
  });
  const conversation = runtime.connect().conversation();
  const turn = await conversation.send('Tea, please');
  const question = await asked(turn);
  expect(question).toMatchObject({ kind: 'agent', agent: 'buyer', tool: 'shop.buy' });
  await conversation.decide(question.request, { allow: true });
  expect((await turn.done()).text).toBe('Tea is on its way.');
  const closed = dataOf(await turn.blocks(), 'approval.close');
  expect(closed).toMatchObject([{ kind: 'agent', outcome: 'allowed' }]);
});
