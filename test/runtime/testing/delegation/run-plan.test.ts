import { expect, test } from 'vitest';
import { z } from 'zod';
import { openRuntime, outline } from '../../../../runtime/testing/index.ts';
import { answerTo, dataOf, planCall, resultOf, team } from './run-plan-kit.ts';

const steps = [
  { id: 'north', task: 'Measure the north', agent: 'worker' },
  { id: 'south', task: 'Measure the south', agent: 'worker' },
  { id: 'sum', task: 'Add both', agent: 'worker', needs: ['north', 'south'] },
];

// proves: plan.runs
test('agents work on the steps of a plan, and a step reads the results that it needs', async () => {
  await using runtime = await openRuntime({
    bundle: team(),
    model: [
      planCall(steps),
      answerTo('Measure the north', 'North is 3.'),
      answerTo('Measure the south', 'South is 4.'),
      { when: /Add both[\s\S]*North is 3\.[\s\S]*South is 4\./, answer: 'Together 7.' },
      { when: 'Together 7.', answer: 'Seven.' },
    ],
  });
  const turn = await runtime.send('How much is it?');
  expect((await turn.done()).text).toBe('Seven.');
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool', 'agent')).toEqual([
    'react.tool.call react.run_plan',
    'agent.plan',
    ...['agent.call', 'agent.call', 'agent.result', 'agent.result'],
    ...['agent.call', 'agent.result'],
    'react.tool.result ok',
  ]);
  expect(resultOf(blocks)).toMatchObject({
    ok: true,
    ret: {
      steps: [
        { id: 'north', ok: true, answer: 'North is 3.' },
        { id: 'south', ok: true, answer: 'South is 4.' },
        { id: 'sum', ok: true, answer: 'Together 7.' },
      ],
      replans_left: 3,
    },
  });
  const started = dataOf(blocks, 'agent.call').map(({ step }) => step);
  expect(started).toEqual(['north', 'south', 'sum']);
});

function many(count: number, task: string) {
  return Array.from({ length: count }, (_, index) => ({ id: `s${index}`, task }));
}

// proves: plan.opt-in
test('an agent has react.run_plan only if it is on, and an agent without a level below it does not read about it', async () => {
  await using off = await openRuntime({
    bundle: team({ main: { delegation: { plans: false } } }),
    model: [planCall(steps), { answer: 'Alone, then.' }],
  });
  const turn = await off.send('How much is it?');
  await turn.done();
  expect(off.model.requests[0]?.text).not.toContain('run_plan');
  expect(resultOf(await turn.blocks())).toMatchObject({ error: { code: 'tool_not_found' } });

  await using on = await openRuntime({
    bundle: team(),
    model: [
      planCall([{ id: 'one', task: 'Only this' }]),
      { answer: 'Did it.' },
      { answer: 'Done.' },
    ],
  });
  await (await on.send('Go')).done();
  expect(on.model.requests.map(({ text }) => text.includes('run_plan'))).toEqual([
    true,
    false,
    true,
  ]);
});

// proves: plan.refused
test.each([
  [
    'plan_cycle',
    [
      { id: 'a', task: 'A', needs: ['c'] },
      { id: 'b', task: 'B', needs: ['a'] },
      { id: 'c', task: 'C', needs: ['b'] },
    ],
    'a → c → b → a',
  ],
  ['unknown_need', [{ id: 'a', task: 'A', needs: ['first'] }], 'unknown step “first”'],
  [
    'duplicate_step',
    [
      { id: 'a', task: 'A' },
      { id: 'a', task: 'B' },
    ],
    '“a”',
  ],
  ['unknown_agent', [{ id: 'a', task: 'A', agent: 'worke' }], 'Nearest: worker'],
  ['unknown_model', [{ id: 'a', task: 'A', hint: 'huge' }], 'fast, reasoning, scripted:test'],
  ['invalid_input', [], 'steps'],
  ['invalid_input', many(25, 'A'), 'steps'],
  ['plan_too_large', many(9, 'x'.repeat(8_000)), '64 KiB'],
  ['invalid_input', [{ id: 'a b', task: 'A' }], 'letters'],
])('a plan that cannot run is refused with %s, and nothing starts', async (code, plan, said) => {
  await using runtime = await openRuntime({
    bundle: team(),
    model: [planCall(plan), { answer: 'No.' }],
  });
  const turn = await runtime.send('Go');
  await turn.done();
  const blocks = await turn.blocks();
  const { error } = resultOf(blocks);
  expect(error).toMatchObject({ code });
  expect(JSON.stringify(error)).toContain(said);
  expect(dataOf(blocks, 'agent.call')).toEqual([]);
});

// proves: plan.fails
test('a step whose need failed does not start, and the others go on', async () => {
  await using runtime = await openRuntime({
    bundle: team(),
    model: [
      planCall([
        { id: 'broken', task: 'Break', agent: 'worker' },
        { id: 'fine', task: 'Go well', agent: 'worker' },
        { id: 'after', task: 'Follow', agent: 'worker', needs: ['broken'] },
      ]),
      { when: 'Break', fault: { code: 'MODEL_REFUSED' }, beside: true },
      answerTo('Go well', 'Went well.'),
      { answer: 'Partly.' },
    ],
  });
  const turn = await runtime.send('Go');
  expect((await turn.done()).text).toBe('Partly.');
  const { ret } = resultOf(await turn.blocks());
  expect(ret).toMatchObject({
    steps: [
      { id: 'broken', ok: false, error: { code: 'agent_failed' } },
      { id: 'fine', ok: true },
      { id: 'after', ok: false, error: { code: 'need_failed' } },
    ],
  });
});

const check = (achieved: boolean, missing = '') => ({
  role: 'small' as const,
  output: { achieved, missing },
});

// proves: plan.verified
test('another model call judges the results, and a further plan builds on the steps that are done', async () => {
  await using runtime = await openRuntime({
    bundle: team({ main: { delegation: { plans: true } } }),
    model: [
      planCall([{ id: 'north', task: 'Measure the north', agent: 'worker' }], 'Both sides'),
      { answer: 'North is 3.' },
      check(false, 'The south is missing.'),
      planCall([{ id: 'south', task: 'Measure the south', agent: 'worker', needs: ['north'] }]),
      { when: 'North is 3.', answer: 'South is 4.' },
      check(true),
      { when: 'they are enough', answer: 'Seven.' },
    ],
  });
  const turn = await runtime.send('How much is it?');
  expect((await turn.done()).text).toBe('Seven.');
  const results = dataOf(await turn.blocks(), 'react.tool.result');
  expect(results).toMatchObject([
    { ret: { achieved: false, missing: 'The south is missing.', replans_left: 3 } },
    { ret: { achieved: true, replans_left: 2 } },
  ]);
  const judged = runtime.model.requests.filter(({ role }) => role === 'small');
  expect(judged[0]?.text).toContain('Both sides');
  expect(judged[1]?.text).toContain('How much is it?');
});

// proves: plan.replans
test('a turn runs a plan and three more, and a further one is refused', async () => {
  const plan = planCall([{ id: 'one', task: 'Again', agent: 'worker' }]);
  const round = [plan, { answer: 'Did it.' }];
  await using runtime = await openRuntime({
    bundle: team(),
    model: [...round, ...round, ...round, ...round, plan, { answer: 'Enough.' }],
  });
  const turn = await runtime.send('Go');
  await turn.done();
  const results = dataOf(await turn.blocks(), 'react.tool.result');
  expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, false]);
  expect(results.at(-1)).toMatchObject({ error: { code: 'replans_exhausted' } });
});

// proves: plan.pruned
test('the caller reads the beginning of a long answer, and where the rest is', async () => {
  const long = `First. ${'word '.repeat(2_000)}Last.`;
  await using runtime = await openRuntime({
    bundle: team(),
    model: [
      planCall([{ id: 'one', task: 'Write much', agent: 'worker' }]),
      { answer: long },
      { answer: 'Read.' },
    ],
  });
  const turn = await runtime.send('Go');
  await turn.done();
  const blocks = await turn.blocks();
  const Ret = z.object({
    steps: z.tuple([z.object({ answer: z.string(), whole: z.string(), conversation: z.string() })]),
  });
  const [row] = Ret.parse(dataOf(blocks, 'react.tool.result')[0]?.['ret']).steps;
  expect(row.answer.length).toBeLessThan(4_100);
  const read = runtime.connect().conversation(row.conversation);
  const close = dataOf(await read.blocks(), 'turn.close');
  expect(close[0]?.['text']).toBe(long);
  expect(row.whole).toMatch(/^ar:conv_\w+\.turn_\w+\.assistant\.completion$/);
});

// proves: plan.budget
test('steps share what is left of the budget, and the caller keeps a share', async () => {
  await using runtime = await openRuntime({
    bundle: team({
      main: {
        delegation: { plans: true, verify: false, sideBySide: 2, stepMs: 50_000 },
        budgets: { tokens: 40_000, rounds: 5 },
      },
    }),
    model: [
      planCall(steps),
      answerTo('Measure the north', 'North is 3.'),
      answerTo('Measure the south', 'South is 4.'),
      { answer: 'Together 7.' },
      { answer: 'Seven.' },
    ],
  });
  const turn = await runtime.send('Go');
  await turn.done();
  const blocks = await turn.blocks();
  const Lent = z.looseObject({ tokens: z.int() });
  const [north, south] = dataOf(blocks, 'agent.call').map((data) => Lent.parse(data['lent']));
  if (!north || !south) throw new Error('two steps have started');
  expect(north).toMatchObject({ rounds: 4, wall_ms: 50_000 });
  expect(north.tokens).toBeLessThan(10_000);
  expect(Math.abs(north.tokens - south.tokens)).toBeLessThanOrEqual(1);
  const [called] = dataOf(blocks, 'agent.call');
  const child = await runtime.connect().conversation(String(called?.['conversation'])).blocks();
  const lent = { tokens: north.tokens, rounds: 4, step: 'north', depth_left: 0 };
  expect(dataOf(child, 'turn.open')[0]?.['delegated']).toMatchObject(lent);
});
