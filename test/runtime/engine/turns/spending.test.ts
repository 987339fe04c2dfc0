import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { createScriptedModel } from '../../../../runtime/adapters/models/scripted/scripted-model.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import {
  createBundleHost,
  type HostResources,
} from '../../../../runtime/cli/bundles/bundle-host.ts';
import type { Config } from '../../../../runtime/cli/config/config.ts';
import { createSpending } from '../../../../runtime/engine/spending/create-spending.ts';
import type { SpendLimit } from '../../../../runtime/engine/spending/spend-limit.ts';
import type { Spending } from '../../../../runtime/engine/spending/spending.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { isClock, manualClock } from '../../../../runtime/testing/clock.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness } from '../kit/harness.ts';

const { signal } = new AbortController();
const ann = { tenant: 'dev', project: 'dev', user: 'ann' };
const bob = { ...ann, user: 'bob' };
const day: SpendLimit = { of: 'user', per: 'day', tokens: 1_000 };
const call = (tokens: number, costUsd = 0): JsonObject => ({
  usage: { input_tokens: tokens, output_tokens: 0 },
  cost_usd: costUsd,
});
const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};

function open(limits: readonly SpendLimit[]) {
  const clock = manualClock();
  if (!isClock(clock)) throw new Error('a manual clock is a clock');
  const storage = createMemoryStorage(() => clock.now());
  const inProcess = (process: string) =>
    createSpending(limits, { storage, clock, log: silentLog, process });
  return { clock, inProcess };
}

const wish = { tokens: 400, costUsd: 0 };

describe('limits for users and tenants', () => {
  // proves: spending.limits
  test('a user who has used up a limit is refused until the period is over; others are not', async () => {
    const { clock, inProcess } = open([day]);
    const spending = inProcess('one');
    await spending.charge(ann, call(1_000));
    await expect(spending.reserve(ann, wish, { signal })).rejects.toThrow(/renewed on/);
    (await spending.reserve(bob, wish, { signal }))[Symbol.dispose]();
    await clock.advance(86_400_000);
    (await spending.reserve(ann, wish, { signal }))[Symbol.dispose]();
  });

  // proves: spending.limits
  test('a limit of the tenant counts all users, and calls without a user', async () => {
    const { inProcess } = open([{ of: 'tenant', per: 'month', costUsd: 1 }]);
    const spending = inProcess('one');
    await spending.charge(ann, call(10, 0.4));
    await spending.charge(bob, call(10, 0.4));
    const { user: _, ...nobody } = ann;
    (await spending.reserve(nobody, wish, { signal }))[Symbol.dispose]();
    await spending.charge(nobody, call(10, 0.2));
    await expect(spending.reserve(bob, wish, { signal })).rejects.toThrow(/installation/);
  });

  // proves: spending.shared
  test('processes that share a store share what was spent, also after a restart', async () => {
    const { clock, inProcess } = open([day]);
    const [one, two] = [inProcess('one'), inProcess('two')];
    await one.charge(ann, call(600));
    await two.charge(ann, call(400));
    await clock.advance(2_000);
    await expect(one.reserve(ann, wish, { signal })).rejects.toThrow(/used up/);
    await expect(inProcess('one').reserve(ann, wish, { signal })).rejects.toThrow(/used up/);
  });

  // proves: spending.reserved
  test('turns side by side wait for each other where they might exceed the limit together', async () => {
    const { inProcess } = open([day]);
    const spending = inProcess('one');
    await spending.charge(ann, call(500));
    const first = await spending.reserve(ann, wish, { signal });
    let entered = false;
    const second = spending.reserve(ann, wish, { signal }).then((room) => {
      entered = true;
      return room;
    });
    await Promise.resolve();
    expect(entered).toBe(false);
    await spending.charge(ann, call(50));
    first[Symbol.dispose]();
    (await second)[Symbol.dispose]();
    expect(entered).toBe(true);
  });

  // proves: spending.reserved, spending.shared
  test('a process waits for what another one has reserved, and not for one that died', async () => {
    const { clock, inProcess } = open([day]);
    const [one, two] = [inProcess('one'), inProcess('two')];
    await one.charge(ann, call(500));
    const room = await one.reserve(ann, wish, { signal });
    await clock.advance(2_000);
    let entered = false;
    const second = two.reserve(ann, wish, { signal }).then((reserved) => {
      entered = true;
      return reserved;
    });
    await clock.advance(5_000);
    expect(entered).toBe(false);
    room[Symbol.dispose]();
    await clock.advance(1_000);
    (await second)[Symbol.dispose]();
    await two.reserve(ann, wish, { signal });
    // The second process dies with its reservation.
    await clock.advance(601_000);
    (await inProcess('three').reserve(ann, wish, { signal }))[Symbol.dispose]();
  });

  // proves: spending.reserved
  test('however turns run side by side, a limit is exceeded by one answer at most', async () => {
    const wishes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(wishes, async (tokens) => {
        const { inProcess } = open([day]);
        const spending = inProcess('one');
        let spent = 0;
        await Promise.allSettled(
          tokens.map(async (each) => {
            const most = { tokens: each, costUsd: 0 };
            using _room = await spending.reserve(ann, most, { signal });
            spent += each;
            await spending.charge(ann, call(each));
          }),
        );
        expect(spent).toBeLessThan(1_000 + 400);
      }),
    );
  });
});

const answer: Reply = { answer: 'Done.' };

function withSpending(replies: readonly Reply[], spending: Spending) {
  return openHarness(replies, { spending });
}

// proves: spending.turn
test('a turn whose user has used up a limit ends as exhausted and says until when', async () => {
  const { inProcess } = open([day]);
  const spending = inProcess('one');
  await spending.charge(ann, call(1_000));
  await using harness = await withSpending([answer], spending);
  await harness.say('Go');
  const blocks = await harness.closed();
  expect(harness.model.requests).toEqual([]);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  expect(dataOf(blocks.at(-1))['text']).toMatch(/^Your spending limit for today is used up\./);
  expect(verify(blocks)).toEqual([]);
});

// proves: spending.turn
test('every model call of a turn is charged to its user', async () => {
  const { inProcess } = open([day]);
  const spending = inProcess('one');
  await using harness = await withSpending([answer, answer], spending);
  await harness.say('Go');
  await harness.closed();
  await expect(spending.reserve(ann, wish, { signal })).rejects.toThrow(/used up/);
  await harness.say('Again');
  const blocks = await harness.closed(2);
  expect(dataOf(blocks.at(-1))).toMatchObject({ reason: 'exhausted' });
  expect(harness.model.requests).toHaveLength(1);
});

// proves: spending.by-role
test('the end of a turn states its usage by model role', async () => {
  const written: Reply = { role: 'answer', answer: 'All done.' };
  await using harness = await openHarness([answer, written], { agent: { answer: 'synthesize' } });
  await harness.say('Go');
  const { usage, usage_by_role: roles } = dataOf((await harness.closed()).at(-1));
  expect(Object.keys(isJsonObject(roles) ? roles : {})).toEqual(['decision', 'answer']);
  const tokens = (role: string): number => {
    const of = isJsonObject(roles) ? roles[role] : undefined;
    return isJsonObject(of) ? Number(of['output_tokens']) : 0;
  };
  expect(usage).toMatchObject({ output_tokens: tokens('decision') + tokens('answer') });
});

// proves: spending.operations
test('what operations and jobs generate is charged to their user and tenant, and refused without room', async () => {
  const limits: SpendLimit[] = [day, { of: 'tenant', per: 'day', tokens: 1_000_000 }];
  const { inProcess } = open(limits);
  const spending = inProcess('one');
  const model = createScriptedModel([{ role: 'small', answer: 'A line.' }], {
    id: 'scripted:test',
  });
  const models = { for: () => model } as unknown as HostResources['models'];
  const storage = createMemoryStorage(() => 0);
  const config = { tenant: 'dev', project: 'dev', secret: () => undefined };
  const resources = { log: silentLog, models, storage, spending, disabledServers: [] };
  const host = createBundleHost(config as unknown as Config, resources);
  const ids = { ...ann, bundle: 'desk', revision: 'r1' };
  const prompt = 'word '.repeat(1_000);
  expect(await host.generate?.({ role: 'small', prompt }, { ids, signal })).toBe('A line.');
  const again = host.generate?.({ role: 'small', prompt }, { ids, signal });
  await expect(again).rejects.toThrow(/Your spending limit/);
});
