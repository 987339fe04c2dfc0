import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AgentOptions,
  ask,
  defineAgent,
  defineBundle,
  defineTool,
  external,
  starters,
} from '../../../../runtime/sdk/index.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';

const locate = defineTool({
  id: 'browser.locate',
  description: 'Where the user is.',
  input: z.object({ exact: z.boolean().default(false) }),
  preset: {},
  run: external(),
});
const add = defineTool({
  id: 'math.add',
  description: 'Adds.',
  input: z.object({ a: z.number() }),
  traits: ['exploration'],
  effects: 'none',
  run: ({ a }) => a + 1,
});
const bundleOf = (options: AgentOptions, tools = [add, locate]) =>
  defineBundle({
    id: 'acme',
    version: '1',
    agents: [defineAgent({ ...options, id: 'main', instruction: 'x', tools })],
  });

const call = { call: { tool: 'browser.locate', input: { exact: true } } };

// proves: external.hand-off
test('with the starter engine an external call closes the turn as handed off, with the call and its input', async () => {
  await using runtime = await openRuntime({
    bundle: bundleOf(starters.engine),
    model: [{ call: { tool: 'math.add', input: { a: 1 } } }, call, { answer: 'In Rome.' }],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const asked: string[] = [];
  const turn = await conversation.send('Where am I?');
  const ended = await turn.done();
  expect(ended).toMatchObject({
    reason: 'handed_off',
    calls: [{ tool: 'browser.locate', input: { exact: true } }],
    text: 'The next call is for the caller to perform.\n\nSteps:\n- math.add: OK\n- browser.locate: handed_off',
  });
  for await (const event of conversation.events()) {
    asked.push(event.event.step);
    if (event.type === 'chat.complete') {
      expect(event.data.calls).toEqual(ended.calls);
      break;
    }
  }
  expect(asked).not.toContain('external.call');
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result handed_off',
  ]);
  const next = await conversation.send('The result is: Rome');
  expect((await next.done()).text).toBe('In Rome.');
  expect(runtime.model.requests[2]?.text).toContain('was handed off to the caller');
});

// proves: external.hand-off
test('the other calls of a bundle run before the turn is handed off, and all external calls are in it', async () => {
  const options: AgentOptions = {
    policies: { multiAction: 'bundle', externalTools: 'hand_off' },
  };
  const three = { call: [call.call, { tool: 'math.add', input: { a: 1 } }, call.call] };
  await using runtime = await openRuntime({ bundle: bundleOf(options), model: [three] });
  const turn = await runtime.send('Where am I?');
  const { calls, reason } = await turn.done();
  expect([reason, calls?.length]).toEqual(['handed_off', 2]);
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.result')).toEqual([
    'react.tool.result ok',
    'react.tool.result handed_off',
    'react.tool.result handed_off',
  ]);
  expect(JSON.stringify(blocks)).not.toContain('in_doubt');
});

// proves: external.hand-off
test('an external call that needs an approval is handed off once it is allowed', async () => {
  const asking = locate.with({ approval: () => ask('Look?') });
  const tools = [add, asking] as const;
  await using runtime = await openRuntime({
    bundle: bundleOf(starters.engine, [...tools]),
    model: [call],
  });
  const conversation = runtime.connect({ user: 'ann' }).conversation();
  const turn = await conversation.send('Where am I?');
  for await (const event of conversation.events()) {
    if (event.type !== 'chat.approval') continue;
    await conversation.decide(event.data.request, { allow: true });
    break;
  }
  expect((await turn.done()).reason).toBe('handed_off');
});

// proves: external.hand-off
test('a stop during the other calls of the reply ends the turn without handing anything off', async () => {
  let start = () => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const slow = defineTool({
    id: 'math.slow',
    description: 'Takes long.',
    effects: 'none',
    input: z.object({}),
    run: (_, ctx) =>
      new Promise((_resolve, reject) => {
        start();
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
      }),
  });
  const main = defineAgent({
    ...{ id: 'main', instruction: 'x', tools: [slow, locate] },
    policies: { multiAction: 'bundle', externalTools: 'hand_off' },
  });
  const both = { call: [call.call, { tool: 'math.slow', input: {} }] };
  const bundle = defineBundle({ id: 'acme', version: '1', agents: [main] });
  await using runtime = await openRuntime({ bundle, model: [both] });
  const turn = await runtime.send('Where am I?');
  await started;
  await turn.stop();
  const { reason, calls } = await turn.done();
  expect([reason, calls]).toEqual(['interrupted', undefined]);
  expect(outline(await turn.blocks(), 'react.tool.result')).toEqual([
    'react.tool.result interrupted',
    'react.tool.result not_executed',
  ]);
});
