import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { callModel } from '../../../../runtime/engine/model/internal-call.ts';
import { usageOf } from '../../../../runtime/engine/model/usage.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { ToolContext } from '../../../../runtime/sdk/index.ts';
import { manualClock } from '../../../../runtime/testing/clock.ts';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { ExecRequest } from '../../../../runtime/tools/ports/sandbox.ts';
import type { ToolResult } from '../../../../runtime/tools/ports/tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { oneTool } from '../../testing/bundle-kit.ts';
import { envelope, execTool } from '../../tools/exec/kit.ts';
import { openHarness } from '../kit/harness.ts';

const bundleOf = (run: (ctx: ToolContext) => unknown, tokens: number) =>
  oneTool('wise.ask', run, { budgets: { tokens } });

const small = (answer: string) => ({ role: 'small', answer }) as const;
const ask = { call: { tool: 'wise.ask' } } as const;
const long = 'word '.repeat(30_000);

// proves: budget.generate
test('model calls of a tool count as usage of its turn', async () => {
  const bundle = bundleOf((ctx) => ctx.generate({ prompt: long }), 1_000_000);
  await using runtime = await openRuntime({ bundle, model: [ask, small('yes'), { answer: 'ok' }] });
  const turn = await runtime.send('go');
  const { usage } = await turn.done();
  expect(usage.inputTokens).toBeGreaterThan(30_000);
});

// proves: budget.generate
test('a tool cannot call a model once its turn has used up its tokens, and can handle the refusal', async () => {
  const twice = async (ctx: ToolContext) => {
    await ctx.generate({ prompt: long });
    return ctx.generate({ prompt: 'again' });
  };
  const model = [ask, small('yes'), { answer: 'ok' }];
  await using runtime = await openRuntime({ bundle: bundleOf(twice, 20_000), model });
  const turn = await runtime.send('go');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ok: false, error: { code: 'budget_exhausted' } });
});

/** Hangs until it is stopped; throws the reason. */
const hang = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

// proves: budget.tools
test('a tool that still runs when the time of its turn is over is stopped', async () => {
  // The clock does not move, so that the tool has the same time however busy the machine is.
  const bundle = oneTool('slow.wait', (ctx) => hang(ctx.signal), { budgets: { wallMs: 40 } });
  const model = [{ call: { tool: 'slow.wait' } }, { answer: 'ok' }];
  await using runtime = await openRuntime({ bundle, model, clock: manualClock() });
  const turn = await runtime.send('go');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({
    ok: false,
    error: {
      code: 'timeout',
      message: 'Stopped after 40 ms: the time limit of this turn was reached.',
    },
  });
});

// proves: budget.tools
test.each([
  ['no tool begins', { tool: 'some.count' }, 'budget_exhausted'],
  [
    'what the model wrote is kept',
    { tool: 'react.write', input: { path: 'files/a.md', channel: 'internal', content: 'x' } },
    'ok',
  ],
])('once the time of its turn is over %s', async (_, call, outcome) => {
  const run = vi.fn(() => Promise.resolve({ result: { ok: true as const, ret: 1 } }));
  const begun = gate();
  const ended = gate();
  const wait = async () => {
    begun.open();
    await ended.opened;
    return { result: { ok: true as const, ret: null } };
  };
  const common = {
    description: 'x',
    kind: 'bundle',
    traits: ['neutral'],
    input: z.object({}),
  } as const;
  const tools = [
    createTool({ ...common, id: 'some.wait', concurrency: 'alone', run: wait }),
    createTool({ ...common, id: 'some.count', run }),
    ...controlTools,
  ];
  const agent = {
    budgets: { rounds: 15, wallMs: 1_000, actionsPerRound: 2 },
    policies: { ...agentDefaults.policies, multiAction: 'safe_fanout' as const },
  };
  const clock = manualClock();
  const script = [{ call: [{ tool: 'some.wait' }, call] }, { answer: 'ok' }];
  await using harness = await openHarness(script, { agent, tools, clock });
  await harness.say('go');
  await begun.opened;
  await clock.advance(1_001);
  ended.open();
  const blocks = await harness.closed();
  expect(run).not.toHaveBeenCalled();
  expect(outline(blocks, 'react.tool.result')).toEqual([
    'react.tool.result ok',
    `react.tool.result ${outcome}`,
  ]);
});

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

// proves: budget.side-by-side
test('of parallel model calls only one exceeds the budget', async () => {
  const all = async (ctx: ToolContext) => {
    const asked = [1, 2, 3].map(() => ctx.generate({ prompt: long }));
    return (await Promise.allSettled(asked)).map(({ status }) => status);
  };
  const model = [ask, ...['a', 'b', 'c'].map(small), { answer: 'ok' }];
  await using runtime = await openRuntime({ bundle: bundleOf(all, 20_000), model });
  const turn = await runtime.send('go');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ret: ['fulfilled', 'rejected', 'rejected'] });
  expect(runtime.model.requests.filter(({ role }) => role === 'small')).toHaveLength(1);
});

// proves: budget.side-by-side
test('model calls that might exceed the budget together wait for each other, and none is refused for it', async () => {
  const all = (ctx: ToolContext) =>
    Promise.all(['1', '2', '3', '4'].map((prompt) => ctx.generate({ prompt })));
  const model = [ask, ...['a', 'b', 'c', 'd'].map(small), { answer: 'ok' }];
  // The first decision takes about 5,000; each answer may have 3,000.
  await using runtime = await openRuntime({ bundle: bundleOf(all, 12_000), model });
  const turn = await runtime.send('go');
  await turn.done();
  const result = (await turn.blocks()).find(({ type }) => type === 'react.tool.result');
  expect(result?.data).toMatchObject({ ret: ['a', 'b', 'c', 'd'] });
});

const cutCalls = (blocks: readonly Pick<Block, 'type' | 'data'>[]) =>
  blocks.filter(
    ({ type, data }) => type === 'model.call' && JSON.stringify(data).includes('"interrupted"'),
  );

// proves: budget.cut
test('an interrupted answer to a tool is charged by the text that was received', async () => {
  const asking = createTool({
    ...{ id: 'wise.ask', kind: 'bundle', description: 'asks', input: z.object({}) },
    run: async (_, { budget, signal }) => {
      const request = { role: 'small', prompt: long } as const;
      const ret = await callModel(harness.model, request, { signal, budget });
      return { result: { ok: true, ret } };
    },
  });
  const half: Reply = { role: 'small', answer: 'many words {{hold}}and more', hold: 'half' };
  await using harness = await openHarness([ask, half, { answer: 'ok' }], { tools: [asking] });
  await harness.say('go');
  await harness.model.held('half');
  await harness.say('enough', { kind: 'steer' });
  const cut = cutCalls(await harness.closed());
  expect(cut).toMatchObject([{ data: { role: 'small', estimated: true } }]);
  const { input_tokens, output_tokens } = usageOf(cut);
  expect(input_tokens).toBeGreaterThan(30_000);
  expect(output_tokens).toBe(3);
});

// proves: budget.cut
test('an interrupted decision is charged by the text that was received, and its replay is the same', async () => {
  await using harness = await openHarness([
    { thinking: 'One word after the other, slowly', hold: 'busy', answer: 'Late.' },
    { answer: 'Now.' },
  ]);
  await harness.say('go');
  await harness.model.held('busy');
  await harness.say('stop that', { kind: 'steer' });
  const [cut] = cutCalls(await harness.closed());
  expect(cut?.data).toMatchObject({ role: 'decision', estimated: true });
  const { output_tokens, input_tokens } = usageOf(cut ? [cut] : []);
  expect(output_tokens).toBeGreaterThan(3);
  expect(input_tokens).toBeGreaterThan(1_000);
});

// proves: budget.taken-over
test('a takeover counts the model usage of a lost call', async () => {
  let calls = 0;
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const hang = async (ctx: ToolContext) => {
    calls += 1;
    await ctx.generate({ prompt: long });
    asked();
    return new Promise((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason));
    });
  };
  const model = [ask, small('yes'), { answer: 'ok' }];
  await using runtime = await openRuntime({ bundle: bundleOf(hang, 20_000), model });
  const turn = await runtime.send('go');
  await isAsked;
  await runtime.crash();
  await turn.done();
  expect(calls).toBe(2);
  expect(outline(await turn.blocks(), 'react.tool')).toEqual([
    'react.tool.call wise.ask',
    'react.tool.result budget_exhausted',
  ]);
});

const spend = createTool({
  id: 'demo.spend',
  kind: 'bundle',
  description: 'spends',
  input: z.object({}),
  run: async (_, { budget }) => {
    const usage = { input_tokens: 0, output_tokens: 0, cost_usd: 1 };
    await budget?.charge({ model: 'm', role: 'small', usage });
    return { result: { ok: true, ret: 1 } };
  },
});
const python = { code: 'x', call: { tool: 'exec_tools.execute_code_python' } } as const;

// proves: budget.programs
test('a program calls no tool once the money of its turn is used up', async () => {
  const results: ToolResult[] = [];
  const program = execTool(async function* (request, host, signal) {
    for (const id of ['c1', 'c2', 'c3', 'c4']) {
      results.push(
        await host.callTool({ id, tool: 'demo.spend', input: {}, reason: '' }, { signal }),
      );
    }
    yield envelope(request);
  });
  const budgets = { rounds: 5, wallMs: 60_000, actionsPerRound: 1, costUsd: 2 };
  await using harness = await openHarness([python, { answer: 'ok' }], {
    tools: [program, spend],
    agent: { budgets },
  });
  await harness.say('go');
  await harness.closed();
  expect(results.map((result) => (result.ok ? 'ok' : result.error.code))).toEqual([
    'ok',
    'ok',
    'budget_exhausted',
    'budget_exhausted',
  ]);
});

// proves: budget.programs
test('a program gets no more time than its turn has left', async () => {
  const requests: ExecRequest[] = [];
  const program = execTool(async function* (request) {
    requests.push(request);
    yield envelope(request);
  });
  const budgets = { rounds: 5, wallMs: 9_000, actionsPerRound: 1 };
  await using harness = await openHarness([python, { answer: 'ok' }], {
    tools: [program],
    agent: { budgets },
  });
  await harness.say('go');
  await harness.closed();
  expect(requests[0]?.limits.timeoutMs).toBeGreaterThan(0);
  expect(requests[0]?.limits.timeoutMs).toBeLessThanOrEqual(9_000);
});
