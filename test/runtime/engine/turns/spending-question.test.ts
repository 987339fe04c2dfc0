import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createSpending } from '../../../../runtime/engine/spending/create-spending.ts';
import type { SpendLimit } from '../../../../runtime/engine/spending/spend-limit.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { isClock, manualClock } from '../../../../runtime/testing/clock.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { waitedMs } from '../../../../runtime/timeline/close/waits.ts';
import { emptyView, foldAll } from '../../../../runtime/timeline/fold/fold.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';

const { signal } = new AbortController();
const ann = { tenant: 'dev', project: 'dev', user: 'ann' };
const day: SpendLimit = {
  ...{ of: 'user', per: 'day', tokens: 1_000 },
  extend: { tokens: 50_000, times: 2 },
};
const done: Reply = { answer: 'Done.' };
const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};
const call = (tokens: number): JsonObject => ({
  usage: { input_tokens: tokens, output_tokens: 0 },
});
const wish = { tokens: 1, costUsd: 0 };

/** A user who has used up the limit. */
async function open(replies: readonly Reply[], limit: SpendLimit = day) {
  const clock = manualClock();
  if (!isClock(clock)) throw new Error('a manual clock is a clock');
  const storage = createMemoryStorage(() => clock.now());
  const spending = createSpending([limit], { storage, clock, log: silentLog, process: 'one' });
  await spending.charge(ann, call(1_000));
  return { clock, spending, harness: await openHarness(replies, { spending, clock }) };
}

type Harness = Awaited<ReturnType<typeof openHarness>>;

async function question(harness: Harness, count = 1): Promise<Block> {
  const asked = (all: readonly Block[]) => all.filter(({ type }) => type === 'approval.request');
  const blocks = await harness.until((all) => asked(all).length >= count);
  await harness.idle();
  return asked(blocks).at(-1) as Block;
}

function decide(harness: Harness, asked: Block, allow: boolean) {
  const request = String(dataOf(asked)['request']);
  const path = paths.approval(asked.turn, 'decision', request);
  return harness.write({ type: 'approval.decision', path, data: { request, allow } });
}

// proves: spending.question
test('a user who has used up a limit is asked, and the turn goes on once the limit is extended', async () => {
  const { harness: opened } = await open([done]);
  await using harness = opened;
  await harness.say('Go');
  const asked = await question(harness);
  expect(asked.call).toBeUndefined();
  expect(dataOf(asked)).toMatchObject({
    request: `${asked.turn}_spending_1`,
    kind: 'spending',
    title: 'Extend the spending limit by 50,000 tokens?',
    extension: { of: 'user', per: 'day', tokens: 50_000 },
  });
  expect(dataOf(asked)['detail']).toMatch(/^Your spending limit for today is used up\./);
  expect(harness.model.requests).toEqual([]);
  await decide(harness, asked, true);
  const blocks = await harness.closed();
  expect(outline(blocks, 'approval')).toEqual([
    'approval.request',
    'approval.decision',
    'approval.close',
  ]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed', text: 'Done.' });
  expect(verify(blocks)).toEqual([]);
});

// proves: spending.question
test('a user who refuses ends the turn as exhausted, with the reason', async () => {
  const { harness: opened } = await open([done]);
  await using harness = opened;
  await harness.say('Go');
  await decide(harness, await question(harness), false);
  const blocks = await harness.closed();
  expect(harness.model.requests).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  expect(dataOf(blocks.at(-1))['text']).toMatch(/^Your spending limit for today is used up\./);
  expect(verify(blocks)).toEqual([]);
});

// proves: spending.question
test('without an answer in time the turn ends as exhausted, and waiting is not time of the turn', async () => {
  const { harness: opened, clock } = await open([done]);
  await using harness = opened;
  await harness.say('Go');
  const asked = await question(harness);
  await clock.advance(121_000);
  const blocks = await harness.closed();
  const closed = blocks.find(({ type }) => type === 'approval.close');
  expect(dataOf(closed)).toMatchObject({ kind: 'spending', outcome: 'expired' });
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  const [turn] = foldAll(emptyView, blocks).turns;
  const waited = Date.parse(closed?.at ?? '') - Date.parse(asked.at);
  expect(turn && waitedMs(turn, clock.now())).toBe(waited);
  expect(verify(blocks)).toEqual([]);
});

// proves: spending.question
test('a stop ends the turn and its question; other events wait for the decision', async () => {
  const { harness: opened } = await open([done]);
  await using harness = opened;
  await harness.say('Go');
  await question(harness);
  await harness.say('And quickly', { kind: 'followup' });
  await harness.idle();
  expect(outline(await harness.blocks(), 'approval')).toEqual(['approval.request']);
  await harness.say('', { kind: 'steer' });
  const blocks = await harness.closed();
  const closed = blocks.find(({ type }) => type === 'approval.close');
  expect(dataOf(closed)).toMatchObject({ outcome: 'interrupted' });
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'interrupted' });
  expect(verify(blocks)).toEqual([]);
});

// proves: spending.question
test('a decision that arrives while no worker runs counts, and its extension counts once', async () => {
  const { harness: opened, spending } = await open([done]);
  await using harness = opened;
  await harness.say('Go');
  const asked = await question(harness);
  await harness.pause();
  await decide(harness, asked, true);
  // The former owner was lost after it had stored the extension.
  const extension = { of: 'user', per: 'day', period: '1970-01-01', tokens: 50_000 } as const;
  const { period } = dataOf(asked)['extension'] as { period: string };
  await spending.extend(ann, { ...extension, period }, String(dataOf(asked)['request']));
  await harness.restart();
  const blocks = await harness.closed();
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'completed' });
  await spending.charge(ann, call(50_000));
  await expect(spending.reserve(ann, wish, { signal })).rejects.toThrow(/used up/);
});

// proves: spending.question
test('a limit is extended as often as operators allow in its period', async () => {
  const { harness: opened, spending, clock } = await open([done, done, done]);
  await using harness = opened;
  for (const count of [1, 2]) {
    await harness.say('Go');
    await decide(harness, await question(harness, count), true);
    await harness.closed(count);
    await spending.charge(ann, call(50_000));
  }
  await harness.say('Go');
  const blocks = await harness.closed(3);
  expect(outline(blocks, 'approval.request')).toHaveLength(2);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  await clock.advance(86_400_000);
  await harness.say('Go');
  expect(dataOf((await harness.closed(4)).at(-1))).toMatchObject({ reason: 'completed' });
});

// proves: spending.question
test('several consents at the same time add no more than operators allow', async () => {
  const { harness, spending } = await open([]);
  await using _harness = harness;
  const extension = await spending.extension(ann);
  if (!extension) throw new Error('an extension is offered');
  const consents = ['a', 'b', 'c', 'd'];
  await Promise.all(consents.map((consent) => spending.extend(ann, extension, consent)));
  await spending.charge(ann, call(100_000));
  await expect(spending.reserve(ann, wish, { signal })).rejects.toThrow(/used up/);
  expect(await spending.extension(ann)).toBeUndefined();
});

// proves: spending.question
test('an extension that would not make room is not offered', async () => {
  const { harness, spending } = await open([], { ...day, extend: { tokens: 10, times: 9 } });
  await using _harness = harness;
  await spending.charge(ann, call(500));
  expect(await spending.extension(ann)).toBeUndefined();
});
