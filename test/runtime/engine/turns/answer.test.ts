import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { toOutputSchema } from '../../../../runtime/sdk/compile/validate/zod-schema.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';

const look: Reply = { thinking: 'Add.', call: { tool: 'math.add', input: { a: 2, b: 3 } } };
const brief: Reply = { answer: 'sum 5', followups: ['And 3 + 4?'], summary: 'Goal: add' };
const written: Reply = { role: 'answer', answer: 'The sum of 2 and 3 is **5**.' };
const synthesize = { answer: 'synthesize' } as const;

const open = (replies: readonly Reply[], agent: Partial<AgentSettings> = synthesize) =>
  openHarness(replies, { agent });

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};
const completions = (blocks: readonly Block[]) =>
  blocks.filter(({ type }) => type === 'assistant.completion').map(({ text }) => text);
const phases = (blocks: readonly Block[]) =>
  blocks.filter(({ type }) => type === 'round.open').map((each) => dataOf(each)['phase']);
const outcomes = (blocks: readonly Block[]) =>
  blocks.filter(({ type }) => type === 'round.close').map((each) => dataOf(each)['outcome']);

// proves: answer.synthesize
test('one more call writes the answer, and nobody sees the inline answer', async () => {
  await using harness = await open([look, brief, written]);
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(outline(blocks, 'round', 'model', 'assistant', 'conv', 'turn.close')).toEqual([
    ...['round.open', 'model.call', 'round.close'],
    ...['round.open', 'model.call', 'round.close'],
    ...['round.open', 'model.call', 'assistant.completion', 'conv.working.summary', 'round.close'],
    'turn.close',
  ]);
  expect(outcomes(blocks)).toEqual(['acted', 'ready', 'answered']);
  expect(phases(blocks)).toEqual(['decision', 'decision', 'answer']);
  expect(completions(blocks)).toEqual(['The sum of 2 and 3 is **5**.']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', degraded: false });
  const answer = blocks.find(({ type }) => type === 'assistant.completion');
  expect(dataOf(answer)['followups']).toEqual(['And 3 + 4?']);
  const shown = (await harness.frames()).flatMap((frame) =>
    frame.kind === 'delta' && frame.marker === 'answer' ? [frame.text] : [],
  );
  expect(shown.join('')).toBe('The sum of 2 and 3 is **5**.');
  expect(verify(blocks)).toEqual([]);
});

// proves: answer.record
test('the answer is written from the record of the turn, without the form of the conversation', async () => {
  await using harness = await open([look, brief, written]);
  await harness.say('Was ist 2 + 3?');
  await harness.closed();
  const [request] = harness.model.requests.filter(({ role }) => role === 'answer');
  expect(request?.text).toContain('Was ist 2 + 3?');
  expect(request?.text).toMatch(/math\.add[\s\S]*"a":2[\s\S]*TOOL RESULT[\s\S]*5/);
  expect(request?.text).toContain('sum 5');
  expect(request?.text).toMatch(/in the language of this message: “Was ist 2 \+ 3\?”$/);
  expect(request?.text).not.toMatch(/channel:|react\./);
  expect(request?.tools).toEqual([]);
});

// proves: answer.failure
test.each([
  ['fails', { role: 'answer', answer: '', fault: { code: 'MODEL_REFUSED' } }],
  ['writes nothing', { role: 'answer', answer: ' ' }],
] as const)(
  'if the model %s, the inline answer is delivered, marked as degraded',
  async (_, reply) => {
    await using harness = await open([look, brief, reply]);
    await harness.say('What is 2 + 3?');
    const blocks = await harness.closed();
    expect(outcomes(blocks)).toEqual(['acted', 'ready', 'failed']);
    expect(completions(blocks)).toEqual(['sum 5']);
    expect(dataOf(blocks.at(-1))).toMatchObject({
      reason: 'completed',
      text: 'sum 5',
      degraded: true,
    });
    expect(verify(blocks)).toEqual([]);
  },
);

// proves: answer.events
test('a followup while the answer is written ends it, and the turn goes on', async () => {
  const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is 5.', hold: 'half' };
  const both: Reply = { answer: 'sums 5 and 7' };
  const last: Reply = { role: 'answer', answer: 'They are 5 and 7.' };
  await using harness = await open([look, brief, half, both, last]);
  await harness.say('What is 2 + 3?');
  await harness.model.held('half');
  await harness.say('and 3 + 4?', { kind: 'followup' });
  const blocks = await harness.closed();
  expect(outcomes(blocks)).toEqual(['acted', 'ready', 'interrupted', 'ready', 'answered']);
  expect(phases(blocks)).toEqual(['decision', 'decision', 'answer', 'decision', 'answer']);
  expect(completions(blocks)).toEqual(['The sum', 'They are 5 and 7.']);
  const [first] = blocks.filter(({ type }) => type === 'assistant.completion');
  expect(first?.meta['interrupted']).toBe(true);
  expect(harness.model.requests[3]?.text).toContain('and 3 + 4?');
  expect(harness.model.requests[4]?.text).toMatch(/and 3 \+ 4\?[\s\S]*sums 5 and 7/);
  expect(verify(blocks)).toEqual([]);
});

// proves: answer.events
test('a steer while the answer is written is followed, and its answer is written too', async () => {
  const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is 5.', hold: 'half' };
  const last: Reply = { role: 'answer', answer: 'Five.' };
  await using harness = await open([look, brief, half, { answer: '5' }, last]);
  await harness.say('What is 2 + 3?');
  await harness.model.held('half');
  await harness.say('in one word', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(phases(blocks)).toEqual(['decision', 'decision', 'answer', 'decision', 'answer']);
  expect(completions(blocks)).toEqual(['The sum', 'Five.']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Five.' });
});

test('a stop while the answer is written keeps what people have seen', async () => {
  const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is 5.', hold: 'half' };
  await using harness = await open([brief, half]);
  await harness.say('What is 2 + 3?');
  await harness.model.held('half');
  await harness.say('', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual(['The sum']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'interrupted' });
});

// proves: answer.take-over
test('a worker that takes over while the answer is written writes it again', async () => {
  const half: Reply = { role: 'answer', answer: 'The sum {{hold}}is 5.', hold: 'half' };
  await using harness = await open([brief, half, written]);
  await harness.say('What is 2 + 3?');
  await harness.model.held('half');
  await harness.restart();
  const blocks = await harness.closed();
  expect(outcomes(blocks)).toEqual(['ready', 'interrupted', 'answered']);
  expect(completions(blocks)).toEqual(['The sum of 2 and 3 is **5**.']);
});

// proves: answer.budget
test('writing the answer is free of the round budget, but is paid', async () => {
  const budgets = { ...agentDefaults.budgets, rounds: 1 };
  await using harness = await open([brief, written], { ...synthesize, budgets });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual(['The sum of 2 and 3 is **5**.']);
  const calls = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(calls.map(({ role }) => role)).toEqual(['decision', 'answer']);
  const tokens = calls.map(({ usage }) => Number(isJsonObject(usage) && usage['output_tokens']));
  const total = dataOf(blocks.at(-1))['usage'];
  expect(total).toMatchObject({ output_tokens: (tokens[0] ?? 0) + (tokens[1] ?? 0) });
});

// proves: answer.budget
test('if the tokens are used up, no model is asked and the inline answer is delivered', async () => {
  const budgets = { ...agentDefaults.budgets, tokens: 100 };
  await using harness = await open([brief], { ...synthesize, budgets });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual(['sum 5']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ degraded: true });
});

test('the answer that a finalize round forces is written too, and the turn says why it ended', async () => {
  const budgets = { ...agentDefaults.budgets, rounds: 1 };
  await using harness = await open([look, brief, written], { ...synthesize, budgets });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(phases(blocks)).toEqual(['decision', 'finalize', 'answer']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
});

test('a structured output is that of the completing round, beside the written text', async () => {
  const output = toOutputSchema(z.object({ n: z.number() }));
  const done: Reply = { answer: 'sum 5', output: { n: 5 } };
  await using harness = await open([done, written], { ...synthesize, output });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({
    text: 'The sum of 2 and 3 is **5**.',
    output: { n: 5 },
  });
});

test('a scratchpad before the answer is thinking', async () => {
  const thought: Reply = { role: 'answer', answer: '<think>Two sums.</think>\n\nIt is 5.' };
  await using harness = await open([brief, thought]);
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual(['It is 5.']);
  expect(blocks.find(({ type }) => type === 'react.thinking')?.text).toBe('Two sums.');
});

test('an answer of exit is delivered as it is', async () => {
  await using harness = await open([{ answer: 'I cannot do that.', exit: true }]);
  await harness.say('Fly');
  expect(completions(await harness.closed())).toEqual(['I cannot do that.']);
});

const three: Reply[] = [1, 2, 3].map((a) => ({
  call: { tool: 'math.add', input: { a, b: 1 } },
}));

// proves: answer.auto
test('auto writes the answer of a turn with three results if its own answer is short', async () => {
  const auto = { answer: 'auto' } as const;
  await using harness = await open([...three, brief, written], auto);
  await harness.say('Add');
  expect(completions(await harness.closed())).toEqual(['The sum of 2 and 3 is **5**.']);
});

// proves: answer.auto
test.each([
  ['has fewer results', three.slice(0, 2), 'sum 5'],
  ['has a long answer of its own', three, 'long '.repeat(200)],
])('auto delivers the own answer of a turn that %s', async (_, calls, answer) => {
  await using harness = await open([...calls, { answer }], { answer: 'auto' });
  await harness.say('Add');
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual([answer]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ degraded: false });
  const streamed = (await harness.frames()).some(
    (frame) => frame.kind === 'delta' && frame.marker === 'answer',
  );
  expect(streamed).toBe(calls.length < 3);
});

// proves: answer.hooks
test('a rule judges the written answer before it is shown; its reason reaches the next attempt', async () => {
  const judged: string[] = [];
  const hooks = {
    completion: async (answer: string) => {
      judged.push(answer);
      return answer.includes('**')
        ? { ok: false as const, error: refusal, failed: [] }
        : { ok: true as const, value: answer, failed: [] };
    },
  };
  const plain: Reply = { role: 'answer', answer: 'The sum is 5.' };
  await using harness = await open([brief, written, plain], { ...synthesize, hooks });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(judged).toEqual(['The sum of 2 and 3 is **5**.', 'The sum is 5.']);
  expect(outcomes(blocks)).toEqual(['ready', 'refused', 'answered']);
  expect(harness.model.requests.at(-1)?.text).toContain('No bold text.');
  const shown = (await harness.frames()).some(
    (frame) => frame.kind === 'delta' && frame.text.includes('**'),
  );
  expect(shown).toBe(false);
});

// proves: answer.hooks
test('an inline answer that a rule refuses after the model failed is not shown either', async () => {
  const hooks = {
    completion: async () => ({ ok: false as const, error: refusal, failed: [] }),
  };
  const broken: Reply = { role: 'answer', answer: '', fault: { code: 'MODEL_REFUSED' } };
  await using harness = await open([brief, broken], { ...synthesize, hooks });
  await harness.say('What is 2 + 3?');
  const blocks = await harness.closed();
  expect(completions(blocks)).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'COMPLETION_REFUSED' },
  });
});

const refusal = { code: 'no_bold', message: 'No bold text.', retryable: false };
