import { expect, test } from 'vitest';
import { z } from 'zod';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { createTool } from '../../../../runtime/tools/definition/create-tool.ts';
import type { Tool, ToolSpec } from '../../../../runtime/tools/ports/tool.ts';
import { agentWith, openHarness, outline } from '../kit/harness.ts';

// proves: tools.side-by-side

const fanout = { policies: { ...agentWith().policies, multiAction: 'safe_fanout' as const } };
const calls = (...tools: readonly string[]) => ({ call: tools.map((tool) => ({ tool })) });
const answer = { answer: 'Done.' };

test('safe calls of one decision run in parallel, and each result is appended when the call ends', async () => {
  const [first, second] = [gate(), gate()];
  const slow = tool('it.slow', async () => {
    second.open();
    await first.opened;
  });
  const quick = tool('it.quick', () => second.opened);
  const script = [calls('it.slow', 'it.quick'), answer];
  await using harness = await openHarness(script, { agent: fanout, tools: [slow, quick] });
  await harness.say('Both');
  const half = await harness.until((all) => all.some(({ type }) => type === 'react.tool.result'));
  expect(outline(half, 'react.tool')).toEqual([
    'react.tool.call',
    'react.tool.call',
    'react.tool.result',
  ]);
  first.open();
  const blocks = await harness.closed();
  const asked = blocks.filter(({ type }) => type === 'react.tool.call').map(({ call }) => call);
  const ended = blocks.filter(({ type }) => type === 'react.tool.result').map(({ call }) => call);
  expect(ended).toEqual(asked.toReversed());
  expect(verify(blocks)).toEqual([]);
});

test('an exclusive call starts when the calls before it have ended, and the calls after it wait', async () => {
  const running = new Set<string>();
  const seen: string[][] = [];
  const noting = (id: string, concurrency: ToolSpec['concurrency']) =>
    tool(
      id,
      async () => {
        running.add(id);
        await new Promise(setImmediate);
        seen.push([...running].sort());
        running.delete(id);
      },
      { concurrency },
    );
  const tools = [noting('it.a', 'safe'), noting('it.b', 'safe'), noting('it.alone', 'alone')];
  const agent = { ...fanout, budgets: { ...agentWith().budgets, actionsPerRound: 4 } };
  const script = [calls('it.a', 'it.b', 'it.alone', 'it.a'), answer];
  await using harness = await openHarness(script, { agent, tools });
  await harness.say('All four');
  await harness.closed();
  expect(seen[0]).toEqual(['it.a', 'it.b']);
  expect(seen.slice(2)).toEqual([['it.alone'], ['it.a']]);
});

test('a steer stops all parallel calls, and each of them has a result', async () => {
  const begun = [gate(), gate()] as const;
  const endless = (id: string, at: Gate) =>
    tool(id, (signal) => {
      at.open();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });
  const tools = [endless('it.a', begun[0]), endless('it.b', begun[1])];
  const script = [calls('it.a', 'it.b'), answer];
  await using harness = await openHarness(script, { agent: fanout, tools });
  await harness.say('Both');
  await Promise.all(begun.map(({ opened }) => opened));
  await harness.say('Leave it', { kind: 'steer' });
  const blocks = await harness.closed();
  const results = blocks.filter(({ type }) => type === 'react.tool.result');
  const stopped = { ok: false, error: { code: 'interrupted' } };
  expect(results.map(({ data }) => data)).toMatchObject([stopped, stopped]);
  expect(verify(blocks)).toEqual([]);
});

test('calls that start together count against the limit per turn', async () => {
  let made = 0;
  const count = async () => {
    made += 1;
  };
  const scarce = tool('it.scarce', count, { callsPerTurn: 1 });
  const script = [calls('it.scarce', 'it.scarce'), answer];
  await using harness = await openHarness(script, { agent: fanout, tools: [scarce] });
  await harness.say('Twice');
  const blocks = await harness.closed();
  const results = blocks.filter(({ type }) => type === 'react.tool.result');
  expect(made).toBe(1);
  const denied = results.filter(({ data }) => JSON.stringify(data).includes('"code":"denied"'));
  expect(denied).toHaveLength(1);
});

type Gate = { readonly opened: Promise<void>; open(): void };

function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function tool(
  id: string,
  act: (signal: AbortSignal) => Promise<unknown>,
  spec: Partial<ToolSpec> = {},
): Tool {
  return createTool({
    id,
    description: 'Does one thing.',
    kind: 'bundle',
    traits: ['exploration'],
    input: z.object({}),
    ...spec,
    run: async (_, { signal }) => {
      await act(signal);
      return { result: { ok: true, ret: id } };
    },
  });
}
