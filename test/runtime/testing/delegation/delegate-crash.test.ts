import { expect, test } from 'vitest';
import {
  manualClock,
  openRuntime,
  outline,
  type TestRuntime,
} from '../../../../runtime/testing/index.ts';
import { ask, childBlocks, desk, research, said } from './delegate-kit.ts';

type Turn = Awaited<ReturnType<TestRuntime['send']>>;

/** One conversation with one turn, and one result of the call. */
async function expectOnce(runtime: TestRuntime, turn: Turn) {
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool', 'agent')).toEqual([
    'react.tool.call desk.research',
    'agent.call',
    'react.tool.result ok',
  ]);
  const child = await childBlocks(runtime, blocks);
  expect(outline(child, 'turn', 'user')).toEqual([
    'turn.open',
    'user.prompt',
    'turn.close completed',
  ]);
}

/** Waits until the delegated agent of the call among these blocks has ended without a result. */
async function stopped(runtime: TestRuntime, blocks: Awaited<ReturnType<Turn['blocks']>>) {
  const conversation = String(said(blocks, 'agent.call')[0]?.['conversation']);
  for await (const event of runtime.connect().conversation(conversation).events()) {
    if (event.type === 'chat.complete') break;
  }
  const child = await childBlocks(runtime, blocks);
  expect(outline(child, 'turn.close')).toEqual(['turn.close interrupted']);
}

// proves: delegate.stop
test('stopping the turn stops the delegated agent', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [ask, { thinking: 'A long search', hold: 'searching' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await runtime.model.held('searching');
  await turn.stop();
  expect((await turn.done()).reason).toBe('interrupted');
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.result')).toEqual(['react.tool.result interrupted']);
  await stopped(runtime, blocks);
});

// proves: delegate.stop
test('a delegated agent that exceeds the time limit of its tool is stopped, and the turn continues', async () => {
  const clock = manualClock();
  await using runtime = await openRuntime({
    ...{ bundle: desk({ tool: research().with({ timeoutMs: 30_000 }) }), clock },
    model: [ask, { thinking: 'A long search', hold: 'searching' }, { answer: 'I do not know.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  await runtime.model.held('searching');
  for (const step of [29_000, 3_000]) await clock.advance(step);
  expect((await turn.done()).text).toBe('I do not know.');
  const blocks = await turn.blocks();
  expect(outline(blocks, 'react.tool.result')).toEqual(['react.tool.result timeout']);
  await stopped(runtime, blocks);
});

test('a followup does not disturb the delegated agent, and is read with its answer', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [
      ask,
      { hold: 'searching', answer: '3905 m.' },
      { when: 'in feet', answer: '12812 ft.' },
    ],
  });
  const turn = await runtime.send('How high is Ortler?');
  await runtime.model.held('searching');
  await turn.followup('in feet, please');
  runtime.model.release('searching');
  expect((await turn.done()).text).toBe('12812 ft.');
  await expectOnce(runtime, turn);
});

// proves: delegate.crash
test('a crash during delegation does not start a second agent', async () => {
  await using runtime = await openRuntime({
    bundle: desk(),
    model: [
      ask,
      { thinking: 'A long search', hold: 'searching' },
      { answer: '3905 m.' },
      { answer: 'So high.' },
    ],
  });
  const turn = await runtime.send('How high is Ortler?');
  await runtime.model.held('searching');
  await runtime.crash();
  expect((await turn.done()).text).toBe('So high.');
  await expectOnce(runtime, turn);
});

// proves: delegate.crash
test.each([
  ['between its end and the result', 'turn.close'],
  ['before there is a conversation for it', 'agent.call'],
])('a crash %s loses no answer, and gives none twice', async (_, at) => {
  let crashed: Promise<void> | undefined;
  const onBlock = ({ type }: { type: string }) => {
    if (type === at) crashed ??= runtime.crash();
  };
  await using runtime = await openRuntime({
    bundle: desk({ onBlock }),
    model: [ask, { answer: '3905 m.' }, { answer: 'So high.' }],
  });
  const turn = await runtime.send('How high is Ortler?');
  expect((await turn.done()).text).toBe('So high.');
  expect(crashed).toBeDefined();
  await crashed;
  await expectOnce(runtime, turn);
});
