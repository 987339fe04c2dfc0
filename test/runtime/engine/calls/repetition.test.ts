import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject } from '../../../../runtime/base/json.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import { agentWith, openHarness } from '../kit/harness.ts';

const add = { call: { tool: 'math.add', input: { a: 1, b: 1 } } };
const other = { call: { tool: 'math.add', input: { a: 2, b: 1 } } };
const answer = { answer: 'Two.' };

// proves: calls.repeated
test('the third identical call in a row gets a notice, and after the fifth the turn only finishes', async () => {
  await using harness = await openHarness([add, add, add, add, add, add, answer]);
  await harness.say('Add');
  const blocks = await harness.closed();
  const notices = blocks.filter(({ type }) => type === 'react.notice');
  expect(notices.map(dataOf)).toEqual([{ code: 'repeated_call' }]);
  const calls = blocks.filter(({ type }) => type === 'react.tool.call');
  expect(notices[0]?.seq).toBeGreaterThan(calls[2]?.seq ?? 0);
  expect(notices[0]?.seq).toBeLessThan(calls[3]?.seq ?? 0);
  const phases = blocks.filter(({ type }) => type === 'round.open').map(dataOf);
  expect(phases.at(-1)).toMatchObject({ round: 6, phase: 'finalize', cause: 'repetition' });
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'exhausted',
    text: expect.stringContaining('The same call was made again and again') as string,
  });
  expect(verify(blocks)).toEqual([]);
});

// proves: calls.repeated
test('a call with another input in between restarts the count', async () => {
  await using harness = await openHarness([add, add, other, add, add, answer]);
  await harness.say('Add');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });
});

const look = { call: { tool: 'site.status' } };

/** A site whose state changes at each call that `changes` names. */
function statusTool(changes: readonly number[]) {
  let calls = 0;
  return createTool({
    id: 'site.status',
    description: 'Says how far the build is.',
    kind: 'bundle',
    traits: ['exploration'],
    input: z.object({}),
    run: async () => {
      calls += 1;
      const changed = changes.filter((call) => call <= calls).length;
      return { result: { ok: true, ret: `step ${changed}` } };
    },
  });
}

// proves: calls.repeated
test('polling until a state changes may continue: another result restarts the count', async () => {
  const polls = Array.from({ length: 9 }, () => look);
  await using harness = await openHarness([...polls, answer], {
    tools: [statusTool([3, 5, 6, 8])],
  });
  await harness.say('Wait for the build');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'react.tool.call')).toHaveLength(9);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });
});

// proves: calls.repeated
test('a call whose result stays the same after a change is counted from there', async () => {
  const polls = Array.from({ length: 7 }, () => look);
  await using harness = await openHarness([...polls, answer], { tools: [statusTool([3])] });
  await harness.say('Wait for the build');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'react.tool.call')).toHaveLength(7);
  const phases = blocks.filter(({ type }) => type === 'round.open').map(dataOf);
  expect(phases.at(-1)).toMatchObject({ phase: 'finalize', cause: 'repetition' });
});

const failing = createTool({
  id: 'exec_tools.execute_code_python',
  description: 'Runs a program.',
  kind: 'exec',
  language: 'python',
  traits: ['exploitation'],
  input: z.object({}),
  run: async () => ({
    result: {
      ok: false,
      error: { code: 'program_failed', message: 'It failed.', retryable: false },
    },
  }),
});
const program = (code: string) => ({ code, call: { tool: failing.spec.id } });

// proves: calls.repeated
test('a repaired program is another call, and the same program is not', async () => {
  const repaired = ['a', 'b', 'c', 'd', 'e', 'f'].map(program);
  await using harness = await openHarness([...repaired, answer], { tools: [failing] });
  await harness.say('Run it');
  const blocks = await harness.closed();
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });

  const same = Array.from({ length: 3 }, () => program('a'));
  await using again = await openHarness([...same, answer], { tools: [failing] });
  await again.say('Run it');
  const notices = (await again.closed()).filter(({ type }) => type === 'react.notice');
  expect(notices.map(dataOf)).toEqual([{ code: 'repeated_call' }]);
});

// proves: calls.failure-stops
test('with toolFailure fail, calls after the failed one in the same reply do not start', async () => {
  const policies = {
    ...agentDefaults.policies,
    multiAction: 'safe_fanout' as const,
    toolFailure: 'fail' as const,
  };
  const [tool] = agentWith().tools;
  if (!tool) throw new Error('the harness has a tool');
  const alone = { ...tool, spec: { ...tool.spec, concurrency: 'alone' as const } };
  const wrong = { tool: 'math.add', input: { a: 'one' } };
  await using harness = await openHarness([{ call: [wrong, add.call] }], {
    agent: { policies },
    tools: [alone],
  });
  await harness.say('Add');
  const blocks = await harness.closed();
  const results = blocks.filter(({ type }) => type === 'react.tool.result').map(dataOf);
  expect(results).toMatchObject([
    { error: { code: 'invalid_input' } },
    { error: { code: 'not_executed' } },
  ]);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'TOOL_FAILED' },
  });
});

// proves: reply.full
test('a reply is cut off at its maximum length with a notice', async () => {
  const raw = `<channel:thinking>${'word '.repeat(81_000)}</channel:thinking>`;
  await using harness = await openHarness([{ raw, chunk: 50_000 }, answer]);
  await harness.say('Write');
  const blocks = await harness.closed();
  const [call] = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(call).toMatchObject({ finish: 'length' });
  expect(blocks.some(({ type }) => type === 'react.notice')).toBe(true);
});

function dataOf(block: Block | undefined) {
  return isJsonObject(block?.data) ? block.data : {};
}
