import { expect, test } from 'vitest';
import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { actionsMaxOf, multiActionOf } from '../../../../runtime/engine/agent/multi-action.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { agentWith, openHarness } from '../kit/harness.ts';

const answer = { answer: 'Done.' };
const calls = (...tools: readonly string[]) => ({ call: tools.map((tool) => ({ tool })) });
const agentOf = (policies: Partial<AgentSettings['policies']>) => ({
  policies: { ...agentDefaults.policies, ...policies },
});

function tool(id: string, run: () => Promise<unknown>, spec: Partial<ToolSpec> = {}): Tool {
  return createTool({
    ...{ id, description: 'Does something.', kind: 'bundle', traits: [], effects: 'unkeyed' },
    concurrency: 'alone',
    ...{ input: z.object({}), ...spec },
    run: async () => {
      await run();
      return { result: { ok: true, ret: id } };
    },
  });
}

const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

/** `tool: outcome` of each call, in the order of the log. */
function outcomes(blocks: readonly Block[]): readonly string[] {
  return blocks
    .filter(({ type }) => type === 'react.tool.call')
    .map((asked) => {
      const result = blocks.find(
        ({ type, call }) => type === 'react.tool.result' && call === asked.call,
      );
      const { ok, error } = dataOf(result);
      const code = isJsonObject(error) ? error['code'] : undefined;
      return `${String(dataOf(asked)['tool'])}: ${ok === true ? 'ok' : String(code)}`;
    });
}

// proves: multi-action.default
test('native tools have bundle as their default, every other protocol one action', () => {
  const plain = agentWith();
  expect([multiActionOf(plain, 'native-tools'), actionsMaxOf(plain, 'native-tools')]).toEqual([
    'bundle',
    8,
  ]);
  for (const protocol of ['channels', 'json', 'plain'] as const) {
    expect([multiActionOf(plain, protocol), actionsMaxOf(plain, protocol)]).toEqual(['off', 1]);
  }
  const fanout = { ...plain, ...agentOf({ multiAction: 'safe_fanout' }) };
  expect([multiActionOf(fanout, 'native-tools'), actionsMaxOf(fanout, 'native-tools')]).toEqual([
    'safe_fanout',
    2,
  ]);
  const budgets = { ...agentDefaults.budgets, actionsPerRound: 30 };
  const many = { ...agentOf({ multiAction: 'bundle' }), budgets };
  expect(actionsMaxOf(many, 'channels')).toBe(8);
});

// proves: multi-action.bundle
test('a bundle runs its calls in order, and surplus calls are recorded as not executed', async () => {
  const ran: string[] = [];
  const tools = ['a', 'b'].map((name) => tool(`it.${name}`, async () => void ran.push(name)));
  const ten = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'it.a' : 'it.b'));
  const script = [calls(...ten), answer];
  const agent = agentOf({ multiAction: 'bundle' });
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('Ten');
  const blocks = await harness.closed();
  expect(ran.join('')).toBe('abababab');
  expect(outcomes(blocks).slice(7)).toEqual([
    'it.b: ok',
    'it.a: not_executed',
    'it.b: not_executed',
  ]);
  const [, second] = harness.model.requests;
  const prompt = second?.text;
  expect(prompt).toContain('A reply may hold 8 actions, so it.a was not carried out.');
  expect(verify(blocks)).toEqual([]);
});

// proves: multi-action.concurrency
test('at most four safe calls of a bundle run at the same time', async () => {
  let running = 0;
  let most = 0;
  const safe = tool(
    'it.safe',
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
    },
    { concurrency: 'safe', effects: 'none' },
  );
  const script = [calls(...Array.from({ length: 7 }, () => 'it.safe')), answer];
  const agent = agentOf({ multiAction: 'bundle' });
  await using harness = await openHarness(script, { agent, tools: [safe] });
  await harness.say('Seven');
  const blocks = await harness.closed();
  expect(most).toBe(4);
  expect(outcomes(blocks)).toHaveLength(7);
});

const thirty = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? 'it.a' : 'it.b'));

// proves: reply.stopped, multi-action.bundle
test.each([
  { at: 'more calls than are recorded', tools: thirty, more: {}, recorded: 16 },
  { at: 'an answer beside a call', tools: ['it.a'], more: { answer: 'Too early.' }, recorded: 1 },
])('a bundle is stopped at $at', async ({ tools, more, recorded }) => {
  const first = { call: tools.map((id) => ({ tool: id })), ...more, chunk: 20 };
  const agent = agentOf({ multiAction: 'bundle' });
  const own = ['it.a', 'it.b'].map((id) => tool(id, async () => undefined));
  await using harness = await openHarness([first, answer], { agent, tools: own });
  await harness.say('Go');
  const blocks = await harness.closed();
  const [reply] = blocks.filter(({ type }) => type === 'model.call').map(dataOf);
  expect(reply).toMatchObject({ finish: 'violation' });
  expect(outcomes(blocks)).toHaveLength(recorded);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: multi-action.first-only
test('first_only runs the first call, and the model reads that the others were not executed', async () => {
  const ran: string[] = [];
  const tools = ['a', 'b'].map((name) => tool(`it.${name}`, async () => void ran.push(name)));
  const script = [calls('it.a', 'it.b', 'it.b'), answer];
  const agent = agentOf({ multiAction: 'first_only' });
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('Three');
  const blocks = await harness.closed();
  expect(ran).toEqual(['a']);
  expect(outcomes(blocks)).toEqual(['it.a: ok', 'it.b: not_executed', 'it.b: not_executed']);
  expect(blocks.filter(({ type }) => type === 'react.notice')).toEqual([]);
  expect(verify(blocks)).toEqual([]);
});

// proves: calls.failure-stops
test('calls behind a failure that ends the turn are recorded as not executed', async () => {
  const fails = tool('it.fails', () => Promise.reject(new Error('broken')));
  const ran: string[] = [];
  const next = tool('it.next', async () => void ran.push('next'));
  const agent = agentOf({ multiAction: 'bundle', toolFailure: 'fail' });
  const script = [calls('it.next', 'it.fails', 'it.next', 'it.next')];
  await using harness = await openHarness(script, { agent, tools: [fails, next] });
  await harness.say('Four');
  const blocks = await harness.closed();
  expect(ran).toEqual(['next']);
  expect(outcomes(blocks)).toEqual([
    'it.next: ok',
    'it.fails: tool_failed',
    'it.next: not_executed',
    'it.next: not_executed',
  ]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'failed', error: { code: 'TOOL_FAILED' } });
  expect(verify(blocks)).toEqual([]);
});

// proves: multi-action.bundle
test('a worker that takes over in the middle of a bundle goes on with the calls that have not started', async () => {
  const ran: string[] = [];
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const first = tool('it.first', async () => void ran.push('first'));
  const slow = createTool({
    ...({ id: 'it.slow', description: 'Waits.', kind: 'bundle', effects: 'none' } as const),
    traits: [],
    concurrency: 'alone',
    input: z.object({}),
    run: (_, { signal }) => {
      begin();
      if (ran.includes('slow')) return Promise.resolve({ result: { ok: true, ret: 'slow' } });
      ran.push('slow');
      return new Promise((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const agent = agentOf({ multiAction: 'bundle' });
  const script = [calls('it.first', 'it.slow', 'it.first'), answer];
  await using harness = await openHarness(script, { agent, tools: [first, slow] });
  await harness.say('Three');
  await begun;
  await harness.restart();
  const blocks = await harness.closed();
  expect(ran).toEqual(['first', 'slow', 'first']);
  expect(outcomes(blocks)).toEqual(['it.first: ok', 'it.slow: ok', 'it.first: ok']);
  expect(verify(blocks)).toEqual([]);
});

const nonsense = { raw: '<channel:thinking>Hm.</channel:thinking>' };

// proves: malformed.repairs
test.each([
  [0, 1],
  [1, 2],
  [4, 5],
])(
  'with { repair: %i } the reply number %i without a decision becomes a degraded answer',
  async (repair, replies) => {
    const script = Array.from({ length: 6 }, () => nonsense);
    const agent = agentOf({ malformed: { repair }, prose: 'never' });
    await using harness = await openHarness(script, { agent });
    await harness.say('Hello');
    const blocks = await harness.closed();
    expect(blocks.filter(({ type }) => type === 'round.open')).toHaveLength(replies);
    expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', degraded: true });
  },
);

// proves: malformed.repairs
test('with malformed fail the first reply without a decision fails the turn', async () => {
  const agent = agentOf({ malformed: 'fail' });
  await using harness = await openHarness([nonsense], { agent });
  await harness.say('Hello');
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({
    reason: 'failed',
    error: { code: 'MODEL_MALFORMED' },
  });
});

// proves: multi-action.default, multi-action.bundle
test('with native tools a reply with many calls runs eight of them by default, and the others are recorded', async () => {
  const ran: string[] = [];
  const tools = ['a', 'b'].map((name) => tool(`it.${name}`, async () => void ran.push(name)));
  const script = [calls(...thirty.slice(0, 10)), answer];
  const agent = { protocol: 'native-tools' as const };
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('Ten');
  const blocks = await harness.closed();
  expect(ran).toHaveLength(8);
  expect(outcomes(blocks).slice(8)).toEqual(['it.a: not_executed', 'it.b: not_executed']);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: multi-action.first-only
test('with native tools and first_only the first call of a reply runs', async () => {
  const ran: string[] = [];
  const tools = ['a', 'b'].map((name) => tool(`it.${name}`, async () => void ran.push(name)));
  const agent = { protocol: 'native-tools' as const, ...agentOf({ multiAction: 'first_only' }) };
  const script = [calls('it.a', 'it.b'), answer];
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('Two');
  const blocks = await harness.closed();
  expect(ran).toEqual(['a']);
  expect(outcomes(blocks)).toEqual(['it.a: ok', 'it.b: not_executed']);
});

// proves: calls.repeated, multi-action.bundle
test('of identical calls in one reply five run, and the turn then only finishes', async () => {
  const ran: string[] = [];
  const own = tool('it.a', async () => void ran.push('a'));
  const script = [calls(...Array.from({ length: 8 }, () => 'it.a')), answer];
  const agent = agentOf({ multiAction: 'bundle' });
  await using harness = await openHarness(script, { agent, tools: [own] });
  await harness.say('Again and again');
  const blocks = await harness.closed();
  expect(ran).toHaveLength(5);
  expect(outcomes(blocks).slice(5)).toEqual(Array.from({ length: 3 }, () => 'it.a: not_executed'));
  const rounds = blocks.filter(({ type }) => type === 'round.open').map(dataOf);
  expect(rounds.at(-1)).toMatchObject({ phase: 'finalize', cause: 'repetition' });
  expect(verify(blocks)).toEqual([]);
});
