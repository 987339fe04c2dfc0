import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import { agentDefaults, type Policies } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openHarness } from '../kit/harness.ts';

const add = { call: { tool: 'math.add', input: { a: 1, b: 1 } } };
const plan = { call: { tool: 'react.plan', input: { mode: 'new', steps: ['look'] } } };
const prose = { raw: 'It is 2, as far as I can see.' };
const wallMs = 60_000;

function countingTools() {
  const runs: number[] = [];
  const counting = createTool({
    id: 'math.add',
    description: 'Adds two numbers.',
    kind: 'bundle',
    traits: ['exploration'],
    input: z.object({ a: z.number(), b: z.number() }),
    run: async ({ a, b }) => {
      runs.push(a + b);
      return { result: { ok: true, ret: a + b } };
    },
  });
  return { runs, tools: [counting, ...controlTools] };
}

type Setting = {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly policies?: Partial<Policies>;
};

function open(script: readonly Reply[], { rounds = 15, policies, ...budget }: Setting = {}) {
  const { runs, tools } = countingTools();
  const agent = {
    budgets: { rounds, wallMs, actionsPerRound: 2, ...budget },
    policies: { ...agentDefaults.policies, ...policies },
  };
  const limits: number[] = [];
  const through = (model: Model): Model => ({
    ...{ id: model.id, contextTokens: model.contextTokens },
    costUsd: (usage) => model.costUsd(usage),
    stream: (request, options) => {
      limits.push(request.maxOutputTokens);
      return model.stream(request, options);
    },
  });
  return { runs, limits, harness: openHarness(script, { agent, tools, through }) };
}

/** Steered while the model is generating; the rest of the script follows. */
async function steered(rest: readonly Reply[], setting: Setting = {}) {
  const hold = { thinking: 'Hm', hold: 'planning' };
  const { runs, limits, harness: opening } = open([hold, ...rest], setting);
  await using harness = await opening;
  await harness.say('Review the year');
  await harness.model.held('planning');
  await harness.say('only the last hour', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(verify(blocks)).toEqual([]);
  const { requests } = harness.model;
  return { runs, limits, requests, blocks, end: dataOf(blocks.at(-1)) };
}

// proves: finalize.control-only
test('after a spent budget an ordinary tool is refused with a code, and the steps are the answer', async () => {
  const { runs, harness: opening } = open([add, add], { rounds: 1 });
  await using harness = await opening;
  await harness.say('Loop');
  const blocks = await harness.closed();
  expect(runs).toEqual([2]);
  expect(errorsOf(blocks)).toEqual(['finalize_phase']);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'exhausted',
    text: 'The budget of this turn was used up before there was an answer.\n\nSteps:\n- math.add: OK\n- math.add: finalize_phase',
    completions: 1,
  });
  expect(blocks.find(({ type }) => type === 'assistant.completion')?.author).toBe('system');
  expect(verify(blocks)).toEqual([]);
});

// proves: finalize.control-only, steer.finalize
test('after a steer two rounds of control tools are left, and ANNOUNCE says so', async () => {
  const { runs, requests, blocks, end } = await steered([add, plan]);
  expect(runs).toEqual([]);
  expect(errorsOf(blocks)).toEqual(['finalize_phase']);
  expect(requests[1]?.text).toContain(
    'the latest steer leaves this turn 2 rounds, this one included. Only react.* tools run;',
  );
  expect(blocks.some(({ type }) => type === 'react.plan')).toBe(true);
  expect(end).toMatchObject({
    reason: 'interrupted',
    text: 'This turn was stopped before there was an answer.\n\nSteps:\n- math.add: finalize_phase\n- react.plan: OK',
  });
});

// proves: steer.finalize
test('a steer does not lower the output limit', async () => {
  const { limits } = await steered([{ answer: 'Here.' }]);
  expect(limits).toEqual([8_000, 8_000]);
});

// proves: steer.redirect
test('with the policy redirect a steer keeps the remaining rounds and all tools', async () => {
  const policies = { steer: 'redirect' as const };
  const { runs, requests, end } = await steered([add, add, add, { answer: 'Six.' }], { policies });
  expect(runs).toEqual([2, 2, 2]);
  expect(requests[1]?.text).not.toContain('PHASE finalize');
  expect(end).toMatchObject({ reason: 'completed', text: 'Six.' });
});

// proves: steer.redirect
test('an empty steer stops the turn with the policy redirect too', async () => {
  const { harness: opening } = open([{ thinking: 'Hm', hold: 'planning' }], {
    policies: { steer: 'redirect' },
  });
  await using harness = await opening;
  await harness.say('Review the year');
  await harness.model.held('planning');
  await harness.say('', { kind: 'steer' });
  const end = dataOf((await harness.closed()).at(-1));
  expect(end).toMatchObject({ reason: 'interrupted', text: 'Stopped.' });
});

// proves: finalize.text
test.each([{ rounds: 0 }, { tokens: 0 }])(
  'a turn with no budget at all (%o) and no finalising call closes with a text',
  async (budget) => {
    const { harness: opening } = open([], { ...budget, policies: { exhausted: 'close' } });
    await using harness = await opening;
    await harness.say('Hello');
    expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
      reason: 'exhausted',
      text: 'The budget of this turn was used up before there was an answer.\n\nNo tool was called.',
    });
  },
);

// proves: finalize.marked
test('an answer given after a spent budget is marked exhausted, one after a steer is not', async () => {
  const { harness: opening } = open([add, { answer: 'Two.' }], { rounds: 1 });
  await using harness = await opening;
  await harness.say('Add');
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'exhausted',
    text: 'Two.',
  });
  const { end } = await steered([{ answer: 'Two.' }]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Two.' });
});

// proves: finalize.prose
test.each([
  ['the finalising round', { rounds: 1 }, [add, prose]],
  ['the last round of a budget that just closes', { rounds: 1, exhausted: 'close' }, [prose]],
  ['the reply that spends the tokens', { tokens: 10, exhausted: 'close' }, [prose]],
] as const)(
  'prose in %s is the answer',
  async (_, { rounds, tokens, ...policies }: Odd, script) => {
    const setting = { rounds: rounds ?? 15, ...(tokens ? { tokens } : {}), policies };
    const { harness: opening } = open([...script], setting);
    await using harness = await opening;
    await harness.say('Add');
    expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
      text: prose.raw,
      degraded: true,
    });
  },
);

// proves: finalize.prose
test('prose in the last round after a steer is the answer, in earlier rounds it is not', async () => {
  const { end, requests } = await steered([prose, { raw: 'Only the last hour: 2.' }]);
  expect(requests).toHaveLength(3);
  expect(end).toMatchObject({ text: 'Only the last hour: 2.', degraded: true });
});

type Odd = { rounds?: number; tokens?: number; exhausted?: 'close' };

function errorsOf(blocks: readonly Block[]) {
  return blocks.flatMap(({ type, data }) => {
    const error = type === 'react.tool.result' && isJsonObject(data) ? data['error'] : undefined;
    return isJsonObject(error) ? [error['code']] : [];
  });
}

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}

// proves: finalize.text
test('with no rounds a turn has one finalizing call, in which only control tools run', async () => {
  const { runs, harness: opening } = open([add], { rounds: 0 });
  await using harness = await opening;
  await harness.say('Hello');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'round.open').map(dataOf)).toMatchObject([
    { phase: 'finalize', cause: 'budget' },
  ]);
  expect(runs).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'exhausted',
    text: 'The budget of this turn was used up before there was an answer.\n\nSteps:\n- math.add: finalize_phase',
  });
});

// proves: finalize.text
test('if the finalizing call fails, the steps are the answer', async () => {
  const { harness: opening } = open([add, { fault: { code: 'MODEL_REFUSED' } }], { rounds: 1 });
  await using harness = await opening;
  await harness.say('Hello');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'exhausted',
    text: 'The budget of this turn was used up before there was an answer.\n\nSteps:\n- math.add: OK',
  });
});

// proves: finalize.text
test('a turn that fails after calls has them as its text', async () => {
  const { harness: opening } = open([add, { fault: { code: 'MODEL_REFUSED' } }]);
  await using harness = await opening;
  await harness.say('Hello');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    text: 'This turn failed before there was an answer.\n\nSteps:\n- math.add: OK',
    error: { code: 'MODEL_REFUSED' },
  });
  expect(verify(blocks)).toEqual([]);
});

// proves: finalize.text
test('a turn that is stopped after calls has them as its text', async () => {
  const { harness: opening } = open([add, { thinking: 'Hm', hold: 'second' }]);
  await using harness = await opening;
  await harness.say('Hello');
  await harness.model.held('second');
  await harness.say('', { kind: 'steer' });
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'interrupted',
    text: 'This turn was stopped before there was an answer.\n\nSteps:\n- math.add: OK',
  });
});
