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
import { openHarness } from '../kit/harness.ts';
import { able } from '../protocols/protocol-kit.ts';

const output = toOutputSchema(z.object({ n: z.number() }));
const fit: Reply = { answer: 'It is 5.', output: { n: 5 } };
const unfit: Reply = { answer: 'It is five.', output: { n: 'five' } };
const look: Reply = { call: { tool: 'math.add', input: { a: 2, b: 3 } } };
const times = (count: number, reply: Reply) => Array.from({ length: count }, () => reply);

const open = (replies: readonly Reply[], agent: Partial<AgentSettings> = {}) =>
  openHarness(replies, { agent: { output, ...agent } });
const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};
const requestsOf = ({ model }: Awaited<ReturnType<typeof open>>) =>
  model.requests.map(({ text }) => /OUTPUT REQUIRED/.test(text));

// proves: output.grace
test('a model has five rounds for an output that fits, then one in which it must give it', async () => {
  await using harness = await open([...times(5, unfit), fit]);
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', output: { n: 5 } });
  expect(requestsOf(harness)).toEqual([false, false, false, false, false, true]);
  expect(verify(blocks)).toEqual([]);
});

// proves: output.invalid
test('without an output that fits the turn fails, and nobody sees an answer', async () => {
  await using harness = await open(times(6, unfit));
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(harness.model.requests).toHaveLength(6);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    text: '',
    error: { code: 'output_invalid' },
  });
  expect(blocks.some(({ type }) => type === 'assistant.completion')).toBe(false);
  const answers = (await harness.frames()).filter(
    (frame) => frame.kind === 'delta' && frame.marker === 'answer',
  );
  expect(answers).toEqual([]);
});

test('plain text and broken decisions count as attempts too', async () => {
  const prose: Reply = { raw: 'The result is five, as far as I can see.' };
  const broken: Reply = { raw: '<channel:decision>{"action":</channel:decision>' };
  await using harness = await open([prose, broken, unfit, prose, broken, unfit]);
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ error: { code: 'output_invalid' } });
});

test('a call between unfit outputs starts the count again', async () => {
  await using harness = await open([...times(4, unfit), look, ...times(4, unfit), fit]);
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', output: { n: 5 } });
  expect(requestsOf(harness).includes(true)).toBe(false);
});

// proves: output.grace
test.each(['finalize', 'close'] as const)(
  'an unfit output may be corrected after the last round (exhausted: %s)',
  async (exhausted) => {
    const budgets = { ...agentDefaults.budgets, rounds: 2 };
    const policies = { ...agentDefaults.policies, exhausted };
    await using harness = await open([look, ...times(5, unfit), fit], { budgets, policies });
    await harness.say('2 + 3?');
    const blocks = await harness.closed();
    expect(dataOf(blocks.at(-1))).toMatchObject({ text: 'It is 5.', output: { n: 5 } });
  },
);

test('used up tokens end the attempts, and the turn closes with its steps', async () => {
  const budgets = { ...agentDefaults.budgets, tokens: 100 };
  await using harness = await open([unfit, unfit], { budgets });
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  expect(dataOf(blocks.at(-1))['text']).not.toContain('five');
});

test('where broken replies fail a turn, an unfit output may still be corrected', async () => {
  const policies = { ...agentDefaults.policies, malformed: 'fail' as const };
  await using corrected = await open([unfit, fit], { policies });
  await corrected.say('2 + 3?');
  expect(dataOf((await corrected.closed()).at(-1))).toMatchObject({ output: { n: 5 } });
  await using broken = await open([{ raw: 'Five.' }], { policies });
  await broken.say('2 + 3?');
  expect(dataOf((await broken.closed()).at(-1))).toMatchObject({
    error: { code: 'MODEL_MALFORMED' },
  });
});

// proves: output.forced
test('a model with native tools is forced to complete after the grace rounds', async () => {
  const through = able({ tools: true, forcedChoice: true, json: true });
  const replies = [...times(5, unfit), fit];
  await using harness = await openHarness(replies, { agent: { output }, through });
  await harness.say('2 + 3?');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', output: { n: 5 } });
  expect(harness.model.requests.map(({ offer }) => offer?.choice)).toEqual([
    ...times(5, {}).map(() => 'auto'),
    { tool: 'complete' },
  ]);
});

// proves: output.forced
test.each([
  ['cannot be forced', { tools: true, forcedChoice: false, json: true }],
  ['replies in JSON', { tools: false, forcedChoice: false, json: true }],
])(
  'a model that %s is instructed to complete, and the turn fails without an output',
  async (_, each) => {
    const through = able(each);
    await using harness = await openHarness(times(6, unfit), { agent: { output }, through });
    await harness.say('2 + 3?');
    const blocks = await harness.closed();
    expect(dataOf(blocks.at(-1))).toMatchObject({ error: { code: 'output_invalid' } });
    expect(harness.model.requests.at(-1)?.text).toContain('OUTPUT REQUIRED');
    expect(harness.model.requests.every(({ offer }) => (offer?.choice ?? 'auto') === 'auto')).toBe(
      true,
    );
  },
);
