import { expect, test } from 'vitest';
import { systemClock } from '../../../../runtime/adapters/system/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { unpricedIn } from '../../../../runtime/cli/models/model-choice.ts';
import { openSpending } from '../../../../runtime/cli/wiring/open-spending.ts';
import { createMemoryStorage } from '../../../../runtime/sdk/compile/host/key-value-store.ts';
import { agentWith } from '../../engine/kit/harness.ts';
import { config, inFolder, problems } from '../config/config-kit.ts';

inFolder();

const { signal } = new AbortController();
const ann = { tenant: 'dev', project: 'dev', user: 'ann' };
const read = (text: string) => config({ 'assembly.yaml': text });

function opened(text: string) {
  const storage = createMemoryStorage(() => Date.now());
  return openSpending(read(text), { storage, clock: systemClock, log: silentLog });
}

// proves: spending.limits
test('assembly.yaml states the limits of users and the tenant; without any nothing is counted', async () => {
  expect(opened('spending: { user: {}, tenant: {} }')).toBeUndefined();
  const spending = opened('spending: { user: { day_tokens: 100 }, tenant: { month_usd: 1 } }');
  await spending?.charge(ann, { usage: { input_tokens: 50 }, cost_usd: 1 });
  const wish = { tokens: 1, costUsd: 0 };
  await expect(spending?.reserve(ann, wish, { signal })).rejects.toThrow(/this installation/);
});

// proves: spending.question
test('extend states what a user may add to each limit, in the units of that limit', async () => {
  const offered = async (text: string) => {
    const spending = opened(text);
    await spending?.charge(ann, { usage: { input_tokens: 100 }, cost_usd: 2 });
    return spending?.extension(ann);
  };
  const extend = 'extend: { usd: 5, tokens: 50, times: 3 }';
  expect(await offered(`spending: { user: { day_tokens: 100, ${extend} } }`)).toMatchObject({
    ...{ of: 'user', per: 'day', tokens: 50 },
  });
  const { period = '', ...monthly } =
    (await offered(`spending: { tenant: { month_usd: 2, ${extend} } }`)) ?? {};
  expect(monthly).toEqual({ of: 'tenant', per: 'month', costUsd: 5 });
  expect(period).toMatch(/^\d{4}-\d{2}$/);
  expect(await offered('spending: { user: { day_tokens: 100 } }')).toBeUndefined();
  const other = 'spending: { user: { day_tokens: 100, extend: { usd: 1 } } }';
  expect(await offered(other)).toBeUndefined();
});

// proves: models.priced
test('a limit in US dollars requires the price of every model', () => {
  const agent = agentWith({ models: { decision: 'openai-compatible:qwen3-8b' } });
  expect(unpricedIn(read('spending: { user: { day_tokens: 1000 } }'), agent)).toEqual([]);
  expect(unpricedIn(read('spending: { tenant: { month_usd: 5 } }'), agent)).toEqual([
    expect.stringContaining('the price of openai-compatible:qwen3-8b is unknown'),
  ]);
});

test('an unknown key and a limit of nothing are refused', () => {
  expect(problems({ 'assembly.yaml': 'spending: { user: { week_usd: 1 } }' }).join()).toMatch(
    /week_usd/,
  );
  expect(problems({ 'assembly.yaml': 'spending: { user: { day_usd: 0 } }' }).join()).toMatch(
    /day_usd/,
  );
});
