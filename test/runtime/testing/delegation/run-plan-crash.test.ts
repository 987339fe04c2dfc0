import { expect, test } from 'vitest';
import {
  manualClock,
  openRuntime,
  outline,
  type TestRuntime,
} from '../../../../runtime/testing/index.ts';
import { answerTo, dataOf, planCall, resultOf, type Step, team } from './run-plan-kit.ts';

type Turn = Awaited<ReturnType<TestRuntime['send']>>;

const six: readonly Step[] = [
  { id: 'a', task: 'Task A', agent: 'worker' },
  { id: 'b', task: 'Task B', agent: 'worker' },
  { id: 'c', task: 'Task C', agent: 'worker', needs: ['a'] },
  { id: 'd', task: 'Task D', agent: 'worker', needs: ['a', 'b'] },
  { id: 'e', task: 'Task E', agent: 'worker', needs: ['c', 'd'] },
  { id: 'f', task: 'Task F', agent: 'worker', needs: ['e'] },
];
const answers = six.map(({ task, id }) => answerTo(`${task}`, `Did ${id}.`));
const ids = six.map(({ id }) => id);

/** Every step has one start, one conversation with one turn, and one end. */
async function expectOnce(runtime: TestRuntime, turn: Turn) {
  const blocks = await turn.blocks();
  const called = dataOf(blocks, 'agent.call');
  expect(called.map(({ step }) => step).toSorted()).toEqual(ids);
  const ended = dataOf(blocks, 'agent.result');
  expect(ended.map(({ step, ok }) => [step, ok]).toSorted()).toEqual(ids.map((id) => [id, true]));
  expect(outline(blocks, 'react.tool.result')).toEqual(['react.tool.result ok']);
  for (const { conversation } of called) {
    const child = await runtime.connect().conversation(String(conversation)).blocks();
    expect(outline(child, 'turn', 'user')).toEqual([
      'turn.open',
      'user.prompt',
      'turn.close completed',
    ]);
  }
}

// proves: plan.crash
test.each([
  ['when the plan is on the log', 'agent.plan', 1],
  ['when two steps have started', 'agent.call', 2],
  ['when an agent has ended', 'turn.close', 1],
  ['when a later agent has ended', 'turn.close', 4],
  ['when a step has its result', 'agent.result', 3],
  ['when all steps have their results', 'agent.result', 6],
])('a crash %s starts no step twice and loses no answer', async (_, at, nth) => {
  let seen = 0;
  let crashed: Promise<void> | undefined;
  const onBlock = ({ type }: { type: string }) => {
    if (type !== at) return;
    seen += 1;
    if (seen === nth) crashed ??= runtime.crash();
  };
  await using runtime = await openRuntime({
    bundle: team({ onBlock }),
    model: [planCall(six), ...answers, { answer: 'All done.' }],
  });
  const turn = await runtime.send('Do all');
  expect((await turn.done()).text).toBe('All done.');
  expect(crashed).toBeDefined();
  await crashed;
  await expectOnce(runtime, turn);
});

// proves: plan.stop
test('stopping the turn stops the agents of all steps, and what had ended stands', async () => {
  await using runtime = await openRuntime({
    bundle: team(),
    model: [
      planCall(six.slice(0, 4)),
      answerTo('Task A', 'Did a.'),
      { when: 'Task B', thinking: 'Long', hold: 'b', beside: true },
      { when: 'Task C', thinking: 'Long', hold: 'c', beside: true },
    ],
  });
  const turn = await runtime.send('Do three');
  await Promise.all([runtime.model.held('b'), runtime.model.held('c')]);
  await turn.stop();
  expect((await turn.done()).reason).toBe('interrupted');
  const blocks = await turn.blocks();
  expect(resultOf(blocks)['ret']).toMatchObject({
    steps: [
      { id: 'a', ok: true, answer: 'Did a.' },
      { id: 'b', error: { code: 'interrupted' } },
      { id: 'c', error: { code: 'interrupted' } },
      { id: 'd', error: { code: 'not_executed' } },
    ],
  });
  for (const { conversation, step } of dataOf(blocks, 'agent.call').slice(1)) {
    const child = runtime.connect().conversation(String(conversation));
    for await (const event of child.events()) if (event.type === 'chat.complete') break;
    const ends = outline(await child.blocks(), 'turn.close');
    expect([step, ends]).toEqual([step, ['turn.close interrupted']]);
  }
});

// proves: plan.time
test('a step that exceeds its time limit ends, and the plan goes on', async () => {
  const clock = manualClock();
  await using runtime = await openRuntime({
    bundle: team({ main: { delegation: { plans: true, verify: false, stepMs: 20_000 } } }),
    clock,
    model: [
      planCall(six.slice(0, 2)),
      answerTo('Task A', 'Did a.'),
      { when: 'Task B', thinking: 'Long', hold: 'b', beside: true },
      { when: 'Task B', answer: 'Only half of b.' },
      { answer: 'So far.' },
    ],
  });
  const turn = await runtime.send('Do two');
  await runtime.model.held('b');
  for (const step of [19_000, 3_000, 6_000]) await clock.advance(step);
  expect((await turn.done()).text).toBe('So far.');
  const { ret } = resultOf(await turn.blocks());
  expect(ret).toMatchObject({ steps: [{ ok: true }, { ok: true, answer: 'Only half of b.' }] });
});
