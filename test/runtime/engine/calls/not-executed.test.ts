import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { noTurn, toCallId, turnToChoose } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { agentWith, openHarness } from '../kit/harness.ts';
import { locateTool, restartTool } from './parked-tools.ts';

const fanout = { policies: { ...agentWith().policies, multiAction: 'safe_fanout' as const } };
const both = { call: [{ tool: 'it.first' }, { tool: 'it.second' }] };
const answer = { answer: 'Only this.' };

/** A tool with effects that must not be repeated; `act` decides when it ends. */
function tool(
  id: string,
  act: (signal: AbortSignal) => Promise<unknown>,
  spec: Partial<ToolSpec> = {},
): Tool {
  return createTool({
    id,
    description: 'Has an effect.',
    kind: 'bundle',
    traits: ['exploitation'],
    effects: 'unkeyed',
    input: z.object({}),
    ...spec,
    run: async (_, { signal }) => {
      await act(signal);
      return { result: { ok: true, ret: id } };
    },
  });
}

function untilStopped(begin: () => void) {
  return (signal: AbortSignal) => {
    begin();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
}

function resultsOf(blocks: readonly Block[]) {
  return blocks.filter(({ type }) => type === 'react.tool.result').map(({ data }) => data);
}

function doubtsIn(blocks: readonly Block[]) {
  return blocks.filter(({ data }) => JSON.stringify(data ?? null).includes('"in_doubt"'));
}

// proves: steer.not-executed
test.each(['Leave it', ''])(
  'a steer (“%s”) during the first call leaves the second one not executed, and only the first in doubt',
  async (text) => {
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let runs = 0;
    const first = tool(
      'it.first',
      untilStopped(() => begin()),
      { concurrency: 'alone' },
    );
    const second = tool('it.second', async () => {
      runs += 1;
    });
    const asked: string[] = [];
    const admit: Tool['admit'] = async () => {
      asked.push('it.second');
      return { ok: true, input: {} };
    };
    await using harness = await openHarness([both, answer], {
      agent: fanout,
      tools: [first, { ...second, admit }],
    });
    await harness.say('Both');
    await begun;
    await harness.say(text, { kind: 'steer' });
    const blocks = await harness.closed();
    expect(runs).toBe(0);
    expect(asked).toEqual([]);
    expect(resultsOf(blocks)).toMatchObject([
      { ok: false, error: { code: 'interrupted', retryable: false } },
      { ok: false, error: { code: 'not_executed', retryable: true } },
    ]);
    const calls = blocks.filter(({ type }) => type === 'react.tool.call').map(({ call }) => call);
    expect(doubtsIn(blocks).map(({ call }) => call)).toEqual([calls[0]]);
    expect(verify(blocks)).toEqual([]);
  },
);

// proves: steer.not-executed
test('a steer between the intent of a call and its start leaves it not executed', async () => {
  let runs = 0;
  const counted = tool('it.first', async () => {
    runs += 1;
  });
  let steer = async () => {};
  // Runs before the intent is written: the append of the intent is the first to report the steer.
  const consider: Tool['consider'] = async () => {
    await steer();
    return { ok: true };
  };
  await using harness = await openHarness([{ call: { tool: 'it.first' } }, answer], {
    tools: [{ ...counted, consider }],
  });
  steer = async () => {
    const type = 'external.steer';
    const path = paths.external(turnToChoose, 'steer', 'msg_quiet');
    const unheard = { reactive: false, message: 'msg_quiet' };
    await harness.write({ type, path, text: 'Leave it', data: {} }, unheard);
  };
  await harness.say('Do it');
  const blocks = await harness.closed();
  expect(runs).toBe(0);
  expect(resultsOf(blocks)).toMatchObject([{ error: { code: 'not_executed' } }]);
  expect(doubtsIn(blocks)).toEqual([]);
});

// proves: steer.not-executed
test('a steer before an approval leaves the call not executed', async () => {
  const restart = restartTool();
  await using harness = await openHarness(
    [{ call: { tool: 'service.restart', input: { service: 'checkout' } } }, answer],
    { tools: [restart] },
  );
  await harness.say('Restart checkout');
  await harness.until((all) => all.some(({ type }) => type === 'approval.request'));
  await harness.say('Leave it', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(restart.runs).toEqual([]);
  expect(resultsOf(blocks)).toMatchObject([{ error: { code: 'not_executed', retryable: true } }]);
  expect(doubtsIn(blocks)).toEqual([]);
});

// proves: steer.answered-first
test.each(['never mind', ''])(
  'what a client answered before a steer (“%s”) stands, in whatever order it is read',
  async (text) => {
    const locate = { call: { tool: 'browser.locate', input: {} } };
    await using harness = await openHarness([locate, answer], { tools: [locateTool()] });
    await harness.say('Where am I?');
    const blocksThen = await harness.until((all) =>
      all.some(({ type }) => type === 'external.call'),
    );
    const { turn = noTurn, call = '' } =
      blocksThen.find(({ type }) => type === 'external.call') ?? {};
    await harness.pause();
    const path = paths.external(turn, 'result', call);
    const data = { call, ok: true, ret: 'here' };
    await harness.write({ type: 'external.result', path, data });
    await harness.say(text, { kind: 'steer' });
    await harness.restart();
    const blocks = await harness.closed();
    expect(resultsOf(blocks)).toMatchObject([{ ok: true, ret: 'here' }]);
    expect(doubtsIn(blocks)).toEqual([]);
    expect(verify(blocks)).toEqual([]);
  },
);

// proves: steer.answered-first
test('an approval before a steer is kept, and its call is not executed', async () => {
  const restart = restartTool({ remember: 'conversation' });
  await using harness = await openHarness(
    [{ call: { tool: 'service.restart', input: { service: 'checkout' } } }, answer],
    { tools: [restart] },
  );
  await harness.say('Restart checkout');
  const then = await harness.until((all) => all.some(({ type }) => type === 'approval.request'));
  const request = then.find(({ type }) => type === 'approval.request');
  await harness.pause();
  const { turn = noTurn, call = '' } = request ?? {};
  const path = paths.approval(turn, 'decision', toCallId(call));
  await harness.write({ type: 'approval.decision', path, data: { request: call, allow: true } });
  await harness.say('Leave it', { kind: 'steer' });
  await harness.restart();
  const blocks = await harness.closed();
  expect(restart.runs).toEqual([]);
  expect(resultsOf(blocks)).toMatchObject([{ error: { code: 'not_executed' } }]);
  const close = blocks.find(({ type }) => type === 'approval.close');
  expect(close?.data).toMatchObject({ outcome: 'allowed', remember: 'conversation' });
  expect(doubtsIn(blocks)).toEqual([]);
});
