import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { waitedMs } from '../../../../runtime/timeline/close/waits.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { openHarness, outline } from '../kit/harness.ts';

type Harness = Awaited<ReturnType<typeof openHarness>>;

const done = { answer: 'Done.' };
const agentOf = (policies: Partial<AgentSettings['policies']>) => ({
  policies: { ...agentDefaults.policies, ...policies },
});
const bundle = agentOf({ multiAction: 'bundle' });

function tool(id: string, run: () => Promise<unknown>, spec: Partial<ToolSpec> = {}): Tool {
  return createTool({
    ...{ id, description: 'Does something.', kind: 'bundle', traits: ['exploration'] as const },
    ...{ concurrency: 'alone', input: z.object({}), ...spec },
    run: async () => ({ result: { ok: true, ret: String(await run()) } }),
  });
}

const broken = () => Promise.reject(new Error('no disk'));
const failing = tool('it.fails', broken, { onFailure: 'escalate' });
const counted = () => {
  const runs: number[] = [];
  const next = tool('it.next', async () => runs.push(1));
  return { ...next, runs };
};

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

async function parkedAt(harness: Harness): Promise<Block> {
  const blocks = await harness.until((all) => all.some(({ type }) => type === 'approval.request'));
  await harness.idle();
  return blocks.findLast(({ type }) => type === 'approval.request') as Block;
}

function decide(harness: Harness, asked: Block, allow: boolean) {
  const request = String(dataOf(asked)['request']);
  const path = paths.approval(asked.turn, 'decision', request);
  return harness.write({ type: 'approval.decision', path, data: { request, allow } });
}

const both = { call: [{ tool: 'it.fails' }, { tool: 'it.next' }] };

// proves: failure.escalate
test('after a failed call a person is asked, and an allowed turn goes on with the error for the model', async () => {
  const next = counted();
  await using harness = await openHarness([both, done], { agent: bundle, tools: [failing, next] });
  await harness.say('Both');
  const asked = await parkedAt(harness);
  expect(dataOf(asked)).toMatchObject({
    request: `${asked.call}_failed`,
    kind: 'tool_failure',
    tool: 'it.fails',
    title: 'it.fails failed. Go on without it?',
    detail: 'tool_failed: no disk',
    remember: 'once',
  });
  expect(next.runs).toEqual([]);
  await decide(harness, asked, true);
  const blocks = await harness.closed();
  expect(next.runs).toEqual([1]);
  expect(harness.model.requests[1]?.text).toContain('"code":"tool_failed","message":"no disk"');
  expect(outline(blocks, 'approval', 'react.tool')).toEqual([
    'react.tool.call',
    'react.tool.result',
    'approval.request',
    'approval.decision',
    'approval.close',
    'react.tool.call',
    'react.tool.result',
  ]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: failure.escalate
test('if the person says no the turn fails, and calls behind the failed one are not executed', async () => {
  const next = counted();
  await using harness = await openHarness([both], { agent: bundle, tools: [failing, next] });
  await harness.say('Both');
  await decide(harness, await parkedAt(harness), false);
  const blocks = await harness.closed();
  expect(next.runs).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'TOOL_FAILED', message: 'it.fails: no disk' },
  });
  const results = blocks.filter(({ type }) => type === 'react.tool.result').map(dataOf);
  expect(results[1]).toMatchObject({ error: { code: 'not_executed' } });
  expect(verify(blocks)).toEqual([]);
});

// proves: failure.escalate
test('a steer settles the question: the turn goes on with it', async () => {
  await using harness = await openHarness([both, done], {
    agent: bundle,
    tools: [failing, counted()],
  });
  await harness.say('Both');
  await parkedAt(harness);
  await harness.say('Do without', { kind: 'steer' });
  const blocks = await harness.closed();
  const close = blocks.find(({ type }) => type === 'approval.close');
  expect(dataOf(close)).toMatchObject({ kind: 'tool_failure', outcome: 'interrupted' });
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });
  expect(verify(blocks)).toEqual([]);
});

// proves: failure.escalate
test('a stop while the question is open ends the turn legally', async () => {
  await using harness = await openHarness([both], { agent: bundle, tools: [failing, counted()] });
  await harness.say('Both');
  await parkedAt(harness);
  await harness.say('', { kind: 'steer' });
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'interrupted' });
  expect(verify(blocks)).toEqual([]);
});

// proves: failure.escalate
test('a decision that arrives while no worker runs counts, and the wait does not count as time of the turn', async () => {
  await using harness = await openHarness([both, done], {
    agent: bundle,
    tools: [failing, counted()],
  });
  await harness.say('Both');
  const asked = await parkedAt(harness);
  await harness.pause();
  await decide(harness, asked, true);
  await harness.restart();
  const blocks = await harness.closed();
  const [turn] = foldAll(emptyView, blocks).turns;
  const closed = blocks.find(({ type }) => type === 'approval.close');
  const waited = Date.parse(closed?.at ?? '') - Date.parse(asked.at);
  expect(turn && waitedMs(turn, Date.now())).toBe(waited);
  expect(blocks.filter(({ type }) => type === 'approval.request')).toHaveLength(1);
});

// proves: failure.policies
test.each([
  ['continue', 'fail', 'completed'],
  ['fail', 'continue', 'failed'],
  [undefined, 'fail', 'failed'],
  [undefined, 'continue', 'completed'],
] as const)(
  'with onFailure %s of the tool and toolFailure %s of the agent the turn ends as %s',
  async (onFailure, toolFailure, reason) => {
    const own = tool('it.fails', broken, onFailure === undefined ? {} : { onFailure });
    const script = [{ call: { tool: 'it.fails' } }, done];
    const agent = agentOf({ toolFailure });
    await using harness = await openHarness(script, { agent, tools: [own] });
    await harness.say('Try');
    const blocks = await harness.closed();
    expect(dataOf(blocks.at(-1))).toMatchObject({ reason });
  },
);

// proves: failure.escalate
test('nobody is asked about a call that was refused before its tool ran', async () => {
  const script = [{ call: { tool: 'no.such' } }, done];
  const agent = agentOf({ toolFailure: 'escalate' });
  await using harness = await openHarness(script, { agent, tools: [failing] });
  await harness.say('Try');
  const blocks = await harness.closed();
  expect(outline(blocks, 'approval')).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });
});
