import { expect, test } from 'vitest';
import type { Json } from '../../../../runtime/base/json.ts';
import { takeoversMax } from '../../../../runtime/engine/limits.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { waitedMs } from '../../../../runtime/timeline/close/waits.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { toCallId, toConversationKey } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';
import { locateTool, restartTool } from './parked-tools.ts';

const { signal } = new AbortController();
type Harness = Awaited<ReturnType<typeof openHarness>>;

const restart = { call: { tool: 'service.restart', input: { service: 'checkout' } } };
const done = { answer: 'Done.' };

/** The block that waits for an answer, once the worker has released the turn. */
async function parkedAt(harness: Harness, type = 'approval.request'): Promise<Block> {
  const blocks = await harness.until((all) => all.some((block) => block.type === type));
  await harness.idle();
  return blocks.findLast((block) => block.type === type) as Block;
}

function decide(
  harness: Harness,
  { turn, call = toCallId('') }: Block,
  decision: { [key: string]: Json },
) {
  const path = paths.approval(turn, 'decision', call);
  return harness.write({ type: 'approval.decision', path, data: { request: call, ...decision } });
}

function resultOf(blocks: readonly Block[]) {
  return blocks.find(({ type }) => type === 'react.tool.result')?.data;
}

// proves: approval.asked
test('a call does not run before its approval, and then runs once', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  const request = await parkedAt(harness);
  expect(tool.runs).toEqual([]);
  expect(request.data).toMatchObject({
    request: request.call,
    tool: 'service.restart',
    title: 'Restart?',
    input: { service: 'checkout' },
  });
  await decide(harness, request, { allow: true });
  const blocks = await harness.closed();
  expect(tool.runs).toEqual(['checkout']);
  expect(resultOf(blocks)).toMatchObject({ ok: true, ret: 'checkout is up' });
  expect(outline(blocks, 'approval', 'react.tool')).toEqual([
    'react.tool.call',
    'approval.request',
    'approval.decision',
    'approval.close',
    'react.tool.result',
  ]);
  expect(verify(blocks)).toEqual([]);
});

test('a denial is a result with a message for the model, and the turn continues', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  await decide(harness, await parkedAt(harness), { allow: false });
  const blocks = await harness.closed();
  expect(tool.runs).toEqual([]);
  expect(resultOf(blocks)).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(harness.model.requests[1]?.text).toContain('The user said no to service.restart');
  expect(verify(blocks)).toEqual([]);
});

test('without an answer in time a call is denied, also if the deadline passed while no worker ran', async () => {
  const tool = restartTool({ timeoutMs: 30 });
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  const blocks = await harness.closed();
  expect(tool.runs).toEqual([]);
  expect(resultOf(blocks)).toMatchObject({ error: { code: 'denied' } });
  expect(JSON.stringify(resultOf(blocks))).toContain('Nobody allowed');
  const close = blocks.find(({ type }) => type === 'approval.close');
  expect(close?.data).toMatchObject({ outcome: 'expired' });
  expect(verify(blocks)).toEqual([]);
});

test('input edited by a person is what runs, and the model is notified', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  await decide(harness, await parkedAt(harness), { allow: true, input: { service: 'search' } });
  const blocks = await harness.closed();
  expect(tool.runs).toEqual(['search']);
  expect(harness.model.requests[1]?.text).toContain(
    'allowed this call with another input: {"service":"search"}',
  );
  expect(verify(blocks)).toEqual([]);
});

test('invalid input from a person is refused like any other', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  await decide(harness, await parkedAt(harness), { allow: true, input: { service: { a: 1 } } });
  expect(resultOf(await harness.closed())).toMatchObject({ error: { code: 'invalid_input' } });
  expect(tool.runs).toEqual([]);
});

// proves: approval.once
test('of two decisions the first one on the log counts', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  const request = await parkedAt(harness);
  await Promise.all([
    decide(harness, request, { allow: false }),
    decide(harness, request, { allow: true }),
  ]);
  const blocks = await harness.closed();
  expect(tool.runs).toEqual([]);
  expect(resultOf(blocks)).toMatchObject({ error: { code: 'denied' } });
  expect(verify(blocks)).toEqual([]);
});

test('another worker continues with the same question: it is not asked twice, and no call is in doubt', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  const request = await parkedAt(harness);
  await harness.restart();
  await harness.say('Hurry', { kind: 'followup' });
  await harness.idle();
  await decide(harness, request, { allow: true });
  const blocks = await harness.closed();
  expect(outline(blocks, 'approval.request')).toHaveLength(1);
  expect(tool.runs).toEqual(['checkout']);
  expect(verify(blocks)).toEqual([]);
});

test.each(['only look', ''])(
  'a steer (“%s”) while it waits ends the question, and it never runs',
  async (text) => {
    const tool = restartTool();
    await using harness = await openHarness([restart, done], { tools: [tool] });
    await harness.say('Restart checkout');
    await parkedAt(harness);
    await harness.say(text, { kind: 'steer' });
    const blocks = await harness.closed();
    expect(tool.runs).toEqual([]);
    expect(resultOf(blocks)).toMatchObject({ error: { code: 'not_executed' } });
    expect(verify(blocks)).toEqual([]);
  },
);

test('a steer of an earlier turn does not stop calls that are approved later', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done, restart, done], { tools: [tool] });
  await harness.say('Restart checkout');
  await parkedAt(harness);
  await harness.say('only look', { kind: 'steer' });
  const before = await harness.closed();
  await harness.idle();
  await harness.say('Now restart it');
  await harness.until((all) => outline(all, 'approval.request').length === 2);
  await decide(harness, await parkedAt(harness), { allow: true });
  const blocks = (await harness.closed(2)).slice(before.length);
  expect(resultOf(blocks)).toMatchObject({ ok: true, ret: 'checkout is up' });
});

// proves: approval.remembered
test.each([
  { remember: 'once', asked: 2 },
  { remember: 'turn', asked: 1 },
])('an approval for $remember: asked $asked times in two calls', async ({ remember, asked }) => {
  const tool = restartTool();
  await using harness = await openHarness([restart, restart, done], { tools: [tool] });
  await harness.say('Restart it twice');
  await decide(harness, await parkedAt(harness), { allow: true, remember });
  if (asked === 2) {
    await harness.until((all) => outline(all, 'approval.request').length === 2);
    await harness.idle();
    const blocks = await harness.blocks();
    await decide(harness, blocks.findLast(({ type }) => type === 'approval.request') as Block, {
      allow: true,
    });
  }
  const blocks = await harness.closed();
  expect(outline(blocks, 'approval.request')).toHaveLength(asked);
  expect(tool.runs).toEqual(['checkout', 'checkout']);
});

test('an approval for the conversation holds in later turns, and so does a remembered denial', async () => {
  const tool = restartTool({ remember: 'conversation' });
  await using harness = await openHarness([restart, done, restart, done], { tools: [tool] });
  await harness.say('Restart it');
  await decide(harness, await parkedAt(harness), { allow: true });
  await harness.closed();
  await harness.say('Again');
  expect(outline(await harness.closed(2), 'approval.request')).toHaveLength(1);

  const other = restartTool();
  await using no = await openHarness([restart, restart, done], { tools: [other] });
  await no.say('Restart it');
  await decide(no, await parkedAt(no), { allow: false, remember: 'turn' });
  const blocks = await no.closed();
  expect(outline(blocks, 'approval.request')).toHaveLength(1);
  expect(outline(blocks, 'react.tool.result')).toHaveLength(2);
  expect(other.runs).toEqual([]);
});

// proves: parked.free
test('no worker holds a waiting turn, and the wait does not use up the time budget', async () => {
  await using harness = await openHarness([restart, done], { tools: [restartTool()] });
  await harness.say('Restart checkout');
  const request = await parkedAt(harness);
  const { openTurn } = foldAll(emptyView, await harness.blocks());
  const hourMs = 3_600_000;
  expect(openTurn && waitedMs(openTurn, Date.parse(request.at) + hourMs)).toBe(hourMs);
  const { store } = harness.engine;
  const lease = await store.acquire(toConversationKey(1), {
    worker: 'another',
    ttlMs: 1_000,
    signal,
  });
  expect(lease?.attempts).toBe(1);
});

test('events that arrive one after the other while a turn is being parked do not end it', async () => {
  const tool = restartTool();
  await using harness = await openHarness([restart, done], { tools: [tool] });
  const { store } = harness.engine;
  const append = store.append.bind(store);
  let left = takeoversMax + 2;
  store.append = async (key, request, options) => {
    const result = await append(key, request, options);
    if (request.dueInMs !== undefined && left > 0) {
      left -= 1;
      await harness.say('Hurry', { kind: 'followup' });
    }
    return result;
  };
  await harness.say('Restart checkout');
  await decide(harness, await parkedAt(harness), { allow: true });
  const blocks = await harness.closed();
  expect(left).toBe(0);
  expect(tool.runs).toEqual(['checkout']);
  expect(blocks.at(-1)?.data).toMatchObject({ reason: 'completed', text: 'Done.' });
});

// proves: external.performed
test('a client performs the call, and its answer is the result', async () => {
  const locate = { call: { tool: 'browser.locate', input: {} } };
  await using harness = await openHarness([locate, done], { tools: [locateTool()] });
  await harness.say('Where am I?');
  const asked = await parkedAt(harness, 'external.call');
  expect(asked.data).toMatchObject({ call: asked.call, tool: 'browser.locate', input: { a: 1 } });
  const { turn, call = '' } = asked;
  const path = paths.external(turn, 'result', call);
  const answer = (ret: Json) =>
    harness.write({ type: 'external.result', path, data: { call, ok: true, ret } });
  await Promise.all([answer('here'), answer('there')]);
  const blocks = await harness.closed();
  expect(resultOf(blocks)).toMatchObject({ ok: true, ret: 'here' });
  expect(verify(blocks)).toEqual([]);
  // A client's answer does not count as an event: the agent is not shown it, and it earns no round.
  expect(harness.model.requests[1]?.text).not.toContain('external.result');
  expect(harness.model.requests[1]?.text).not.toContain('bonus');
});

test("without a client's answer a call times out, a steer interrupts it, and a client's error is passed on", async () => {
  const locate = { call: { tool: 'browser.locate', input: {} } };
  await using late = await openHarness([locate, done], { tools: [locateTool({ timeoutMs: 30 })] });
  await late.say('Where am I?');
  expect(resultOf(await late.closed())).toMatchObject({ error: { code: 'timeout' } });

  await using steered = await openHarness([locate, done], { tools: [locateTool()] });
  await steered.say('Where am I?');
  await parkedAt(steered, 'external.call');
  await steered.say('never mind', { kind: 'steer' });
  expect(resultOf(await steered.closed())).toMatchObject({ error: { code: 'interrupted' } });

  await using refused = await openHarness([locate, done], { tools: [locateTool()] });
  await refused.say('Where am I?');
  const { turn, call = '' } = await parkedAt(refused, 'external.call');
  await refused.write({
    type: 'external.result',
    path: paths.external(turn, 'result', call),
    data: { call, ok: false, error: { code: 'not_allowed', message: 'Location is off.' } },
  });
  expect(resultOf(await refused.closed())).toMatchObject({
    error: { code: 'not_allowed', message: 'Location is off.' },
  });
});
