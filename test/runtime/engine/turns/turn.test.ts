import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { controlTools } from '../../../../runtime/tools/react/control-tools.ts';
import { openHarness, outline } from '../kit/harness.ts';

const answer = { answer: 'Done.' };

test('after a prompt the model thinks, calls a tool, and its answer closes the turn', async () => {
  const look = { thinking: 'Add them.', call: { tool: 'math.add', input: { a: 2, b: 3 } } };
  await using harness = await openHarness([look, { answer: 'It is 5.', summary: 'Goal: add' }]);
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(outline(blocks)).toEqual([
    'turn.open',
    'user.prompt',
    'round.open',
    'react.thinking',
    'model.call',
    'react.tool.call',
    'react.tool.result',
    'round.close',
    'round.open',
    'model.call',
    'assistant.completion',
    'conv.working.summary',
    'round.close',
    'turn.close',
  ]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'It is 5.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: engine.followup
test('a followup during a turn is folded at the next decision, and the answer waits for it', async () => {
  await using harness = await openHarness([
    { thinking: 'Working', hold: 'busy', answer: 'First.' },
    { answer: 'Both.' },
  ]);
  await harness.say('One thing');
  await harness.model.held('busy');
  await harness.say('and another', { kind: 'followup' });
  harness.model.release('busy');
  const blocks = await harness.closed();
  expect(texts(blocks, 'assistant.completion')).toEqual(['First.', 'Both.']);
  expect(blocks.filter(({ type }) => type === 'turn.close')).toHaveLength(1);
  expect(harness.model.requests[1]?.text).toContain('and another');
  expect(verify(blocks)).toEqual([]);
});

// proves: engine.followup
test('several followups that arrive during a round are read together by the next decision', async () => {
  await using harness = await openHarness([
    { thinking: 'Working', hold: 'busy', answer: 'First.' },
    { answer: 'All.' },
  ]);
  await harness.say('One thing');
  await harness.model.held('busy');
  await harness.say('in red', { kind: 'followup' });
  await harness.say('and large', { kind: 'followup' });
  harness.model.release('busy');
  const blocks = await harness.closed();
  expect(texts(blocks, 'assistant.completion')).toEqual(['First.', 'All.']);
  expect(harness.model.requests).toHaveLength(2);
  expect(harness.model.requests[1]?.text).toMatch(/in red[\s\S]*and large/);
});

// proves: engine.steer
test('a steer stops the generation and is answered in the same turn', async () => {
  await using harness = await openHarness([
    { thinking: 'A long plan', hold: 'planning' },
    { answer: 'Only this.' },
  ]);
  await harness.say('Review the whole year');
  await harness.model.held('planning');
  await harness.say('only the last hour', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Only this.' });
  expect(harness.model.requests[1]?.text).toContain('only the last hour');
  expect(verify(blocks)).toEqual([]);
});

test('a steer without text stops the turn', async () => {
  await using harness = await openHarness([{ thinking: 'A long plan', hold: 'planning' }]);
  await harness.say('Review the whole year');
  await harness.model.held('planning');
  await harness.say('', { kind: 'steer' });
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'interrupted',
    text: 'Stopped.',
  });
});

// proves: engine.violations, bad.broken-decision
test('the model gets a full notice about a broken decision, and the turn continues', async () => {
  await using harness = await openHarness([
    {
      raw: '<channel:thinking>x</channel:thinking><channel:decision>{"action":</channel:decision>',
    },
    answer,
  ]);
  await harness.say('Hello');
  const blocks = await harness.closed();
  expect(codes(blocks)).toEqual(['protocol_violation.truncated_action']);
  expect(harness.model.requests[1]?.text).toContain('truncated_action');
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
});

// proves: engine.degraded
test('after two unusable replies the third becomes a completion marked as degraded', async () => {
  const lost = { raw: '<channel:thinking>Say a number.</channel:thinking>I would say 42.' };
  await using harness = await openHarness([lost, lost, lost]);
  await harness.say('Hello');
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'completed',
    degraded: true,
    text: 'I would say 42.',
  });
});

// proves: bad.unknown-tool
test('an unknown tool gives a result that the model can continue from', async () => {
  await using harness = await openHarness([{ call: { tool: 'math.subtract', input: {} } }, answer]);
  await harness.say('Hello');
  const blocks = await harness.closed();
  const result = blocks.find(({ type }) => type === 'react.tool.result');
  expect(dataOf(result)).toMatchObject({ ok: false, error: { code: 'tool_not_found' } });
});

// proves: engine.budget
test('a spent budget closes the turn as exhausted after one finalizing call', async () => {
  const call = { call: { tool: 'math.add', input: { a: 1, b: 1 } } };
  const budgets = { rounds: 2, wallMs: 60_000, actionsPerRound: 2 };
  await using harness = await openHarness([call, call, call], { agent: { budgets } });
  await harness.say('Loop');
  const blocks = await harness.closed();
  expect(
    blocks.filter(({ type }) => type === 'round.open').map((each) => dataOf(each)['phase']),
  ).toEqual(['decision', 'decision', 'finalize']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  expect(verify(blocks)).toEqual([]);
});

test('a failing model closes the turn with a readable error', async () => {
  await using harness = await openHarness([{ fault: { code: 'MODEL_OVERLOADED' } }]);
  await harness.say('Hello');
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'MODEL_OVERLOADED' },
  });
});

test('clients are streamed exactly what the log holds, and a denied answer is never shown', async () => {
  const raw = [
    '<channel:thinking>Two steps</channel:thinking>',
    '<channel:decision>{"action":"call_tool","notes":"Adding","tool_call":{"tool_id":"math.add","params":{"a":1,"b":2}}}</channel:decision>',
    '<channel:decision>{"action":"complete","final_answer":"Three, I guess."}</channel:decision>',
  ].join('');
  await using harness = await openHarness([{ raw }, { answer: 'Three.' }]);
  await harness.say('1 + 2?');
  await harness.closed();
  const shown = new Map<string, string>();
  for (const frame of await harness.frames()) {
    if (frame.kind === 'delta')
      shown.set(frame.marker, (shown.get(frame.marker) ?? '') + frame.text);
  }
  expect(Object.fromEntries(shown)).toEqual({
    thinking: 'Two steps',
    timeline_text: 'Adding',
    answer: 'Three.',
  });
});

test('the content of a file is shown while it is written, and its block replaces the stream', async () => {
  const decision = {
    action: 'call_tool',
    notes: '',
    tool_call: {
      tool_id: 'react.write',
      params: { path: 'outputs/a.md', channel: 'canvas', content: '# Hello' },
    },
  };
  const raw = `<channel:thinking>x</channel:thinking><channel:decision>${JSON.stringify(decision)}</channel:decision>`;
  await using harness = await openHarness([{ raw, chunk: 5 }, answer], { tools: controlTools });
  await harness.say('Write it');
  const blocks = await harness.closed();
  const frames = (await harness.frames()).filter(
    (frame) => frame.kind === 'delta' && frame.marker === 'canvas',
  );
  expect(frames.map((frame) => (frame.kind === 'delta' ? frame.text : '')).join('')).toBe(
    '# Hello',
  );
  const streams = new Set(frames.map((frame) => frame.kind === 'delta' && frame.stream));
  const page = blocks.find(({ type }) => type === 'canvas');
  expect([...streams]).toEqual([dataOf(page)['stream']]);
});

test('marks in notes tick off steps of the plan that is open when their call starts, even if the call closes it', async () => {
  const plan = (params: object, notes: string) => ({
    notes,
    call: { tool: 'react.plan', input: params },
  });
  await using harness = await openHarness(
    [
      plan({ mode: 'new', steps: ['look', 'tell'] }, 'Planning'),
      plan({ mode: 'close' }, '✓ [1] ✓ [2] Done'),
      answer,
    ] as never,
    { tools: controlTools },
  );
  await harness.say('Two steps');
  const blocks = await harness.closed();
  const last = blocks.findLast(({ type }) => type === 'react.plan');
  expect(dataOf(last)).toMatchObject({ status: { 1: 'done', 2: 'done' } });
});

test('marks in the notes of a call that activates a plan tick off steps of that plan', async () => {
  const plan = (input: JsonObject, notes: string) => ({
    notes,
    call: { tool: 'react.plan', input },
  });
  const end = { answer: 'Done.' };
  const script = (replies: readonly Reply[]) =>
    createScriptedModel(replies, { id: 'scripted:plans' });
  let model = script([
    plan({ mode: 'new', steps: ['look', 'tell'] }, 'Planning'),
    plan({ mode: 'new', steps: ['wait'] }, 'Another plan'),
    end,
  ]);
  await using harness = await openHarness([], { tools: controlTools, modelOf: () => model });
  await harness.say('Two plans');
  const made = (await harness.closed()).find(({ type }) => type === 'react.plan');
  const again = { mode: 'activate', plan_id: String(dataOf(made)['plan_id']) };
  model = script([plan(again, '✓ [1] Back to the first plan'), plan(again, '▶ [2] Telling'), end]);
  await harness.say('The first one');
  const last = (await harness.closed(2)).findLast(({ type }) => type === 'react.plan');
  expect(dataOf(last)).toMatchObject({ status: { 1: 'done', 2: 'in_progress' }, current: true });
});

test('a second turn sees the first', async () => {
  await using harness = await openHarness([{ answer: 'Noted: blue.' }, { answer: 'Blue.' }]);
  await harness.say('My colour is blue');
  await harness.closed();
  await harness.say('Which colour?');
  await harness.closed(2);
  expect(harness.model.requests[1]?.text).toContain('Noted: blue.');
});

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}

function texts(blocks: readonly Block[], type: string) {
  return blocks.filter((each) => each.type === type).map((each) => each.text);
}

function codes(blocks: readonly Block[]) {
  return blocks.filter(({ type }) => type === 'react.notice').map((each) => dataOf(each)['code']);
}

test('a spent token budget ends in one finalizing call too', async () => {
  const call = { call: { tool: 'math.add', input: { a: 1, b: 1 } } };
  const budgets = { rounds: 15, tokens: 10, wallMs: 60_000, actionsPerRound: 2 };
  await using harness = await openHarness([call, { answer: 'Enough.' }], { agent: { budgets } });
  await harness.say('Loop');
  const blocks = await harness.closed();
  const phases = blocks.filter(({ type }) => type === 'round.open');
  expect(phases.map((each) => dataOf(each)['phase'])).toEqual(['decision', 'finalize']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ text: 'Enough.' });
  const prompt = harness.model.requests.at(-1)?.text ?? '';
  expect(prompt).toContain(' 1 of 2 rounds left');
  expect(prompt).toContain('the budget of this turn is spent');
});

test('with toolFailure fail, a failing tool ends the turn with its error', async () => {
  const policies = { ...agentDefaults.policies, toolFailure: 'fail' as const };
  const wrong = { call: { tool: 'math.add', input: { a: 'one' } } };
  await using harness = await openHarness([wrong, answer], { agent: { policies } });
  await harness.say('Add');
  expect(dataOf((await harness.closed()).at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'TOOL_FAILED' },
  });
});
