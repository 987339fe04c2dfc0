import { expect, test } from 'vitest';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { add, dataOf, errorsOf, open, prose, steered } from '../kit/finalize-kit.ts';

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

type Odd = { rounds?: number; tokens?: number; exhausted?: 'close' };

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
