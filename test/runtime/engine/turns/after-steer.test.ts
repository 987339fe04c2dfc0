import { expect, test } from 'vitest';
import { add, close, dataOf, errorsOf, open, plan, prose, steered } from '../kit/finalize-kit.ts';

// proves: finalize.control-only, steer.finalize
test('after a steer two rounds of control tools are left, and ANNOUNCE says so', async () => {
  const { runs, requests, blocks, end } = await steered([add, close]);
  expect(runs).toEqual([]);
  expect(errorsOf(blocks)).toEqual(['finalize_phase', 'plan_target_required']);
  expect(requests[1]?.text).toContain(
    'the latest steer leaves this turn 2 rounds, this one included. Do one of two:\n(a) Only react.* tools run;',
  );
  expect(requests[2]?.text).toContain('If the steer needs it, call react.plan (mode new) first');
  expect(end).toMatchObject({
    reason: 'interrupted',
    text: 'This turn was stopped before there was an answer.\n\nSteps:\n- math.add: finalize_phase\n- react.plan: plan_target_required',
  });
});

// proves: steer.work
test('a plan made after a steer brings back all tools and the remaining rounds', async () => {
  const { runs, requests, blocks, end } = await steered([plan, add, add, { answer: 'Four.' }]);
  expect(requests[1]?.text).toContain(
    '(b) NEW WORK: if the steer asks for something that needs another tool or a program, your next call is react.plan (mode new, with the steps). From then on, also later in the same reply, all tools run, and 13 more rounds are left.',
  );
  expect(requests[2]?.text).toContain('ANNOUNCE - Round 3/15');
  expect(requests[2]?.text).not.toContain('PHASE finalize');
  expect(runs).toEqual([2, 2]);
  expect(errorsOf(blocks)).toEqual([]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Four.' });
});

// proves: steer.work
test('a plan from before the steer may be replaced instead, and all tools run again', async () => {
  const other = { call: { tool: 'react.plan', input: { mode: 'replace', steps: ['last hour'] } } };
  const script = [plan, { thinking: 'Hm', hold: 'second' }, other, add, { answer: 'Two.' }];
  const { runs, harness: opening } = open(script);
  await using harness = await opening;
  await harness.say('Review the year');
  await harness.model.held('second');
  await harness.say('only the last hour', { kind: 'steer' });
  const end = dataOf((await harness.closed()).at(-1));
  expect(runs).toEqual([2]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Two.' });
});

// proves: steer.work
test('calls behind the plan in the same reply run', async () => {
  const both = { call: [plan.call, add.call] };
  const policies = { multiAction: 'safe_fanout' as const };
  const { runs, end } = await steered([both, { answer: 'Two.' }], { policies });
  expect(runs).toEqual([2]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Two.' });
});

// proves: steer.work
test('a plan that was refused first is followed by work, too', async () => {
  const { runs, end } = await steered([add, plan, add, { answer: 'Two.' }]);
  expect(runs).toEqual([2]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Two.' });
});

// proves: steer.work
test('when no round is left behind a steer, a plan changes nothing and none is offered', async () => {
  const { runs, requests, end } = await steered([plan, add], { rounds: 2 });
  expect(requests[1]?.text).not.toContain('NEW WORK');
  expect(runs).toEqual([]);
  expect(end).toMatchObject({ reason: 'interrupted' });
});

// proves: steer.work
test('work after a steer ends with the budget of its turn and one finalizing call', async () => {
  const { runs, requests, end } = await steered([plan, add, { answer: 'Two.' }], { rounds: 3 });
  expect(runs).toEqual([2]);
  expect(requests.at(-1)?.text).toContain('PHASE finalize: the budget of this turn is spent.');
  expect(end).toMatchObject({ reason: 'exhausted', text: 'Two.' });
});

// proves: steer.work
test('an agent without react.plan keeps all tools and rounds after a steer', async () => {
  const { runs, end } = await steered([add, add, { answer: 'Four.' }], { tools: 'without plan' });
  expect(runs).toEqual([2, 2]);
  expect(end).toMatchObject({ reason: 'completed', text: 'Four.' });
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

// proves: steer.files
test.each(['finalize', 'redirect'] as const)(
  'with the policy %s a file that the stopped work had delivered is said to be with the user',
  async (steer) => {
    const write = { path: 'outputs/year.md', channel: 'canvas', content: 'All of it.' };
    const first = { call: { tool: 'react.write', input: write } };
    const script = [first, { thinking: 'Hm', hold: 'second' }, { answer: 'The last hour.' }];
    const { harness: opening } = open(script, { policies: { steer } });
    await using harness = await opening;
    await harness.say('Review the year');
    await harness.model.held('second');
    await harness.say('only the last hour', { kind: 'steer' });
    await harness.closed();
    const [, before = '', after = ''] = harness.model.requests.map(({ text = '' }) => text);
    expect(before).toContain('- fi:t1.outputs/year.md (the user has it)\n');
    expect(after).toContain('- fi:t1.outputs/year.md (from before the steer; the user has it)\n');
  },
);

// proves: finalize.prose
test('prose in the last round after a steer is the answer, in earlier rounds it is not', async () => {
  const { end, requests } = await steered([prose, { raw: 'Only the last hour: 2.' }]);
  expect(requests).toHaveLength(3);
  expect(end).toMatchObject({ text: 'Only the last hour: 2.', degraded: true });
});
