import { expect, test } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { openHarness } from '../kit/harness.ts';

const thinking = '<channel:thinking>The user wants a sum.</channel:thinking>';

// proves: reply.in-a-row
test('only unusable replies in a row end a turn; a usable one between them starts the count again', async () => {
  const look = { call: { tool: 'math.add', input: { a: 1, b: 2 } } };
  const lost = { raw: thinking };
  const replies = [lost, lost, look, lost, lost, look, lost, { answer: 'It is 3.' }];
  await using harness = await openHarness(replies);
  await harness.say('1 + 2?');
  const end = await endOf(harness);
  expect(end).toMatchObject({ reason: 'completed', text: 'It is 3.' });
  expect(end['degraded'] ?? false).toBe(false);
});

// proves: reply.thinking-kept
test.each([
  ['beside an unusable decision', '<channel:decision>{"action":"dance"}</channel:decision>'],
  ['alone', ''],
])('thinking %s is not the answer', async (_, rest) => {
  const raw = `${thinking}${rest}`;
  await using harness = await openHarness(Array(3).fill({ raw }));
  await harness.say('1 + 2?');
  expect((await endOf(harness))['text']).toMatch(/did not give a usable answer/);
});

test('with malformed: fail the first invalid reply fails the turn', async () => {
  const policies = { ...agentDefaults.policies, malformed: 'fail' as const };
  await using harness = await openHarness([{ raw: thinking }], { agent: { policies } });
  await harness.say('1 + 2?');
  expect(await endOf(harness)).toMatchObject({
    reason: 'failed',
    error: { code: 'MODEL_MALFORMED' },
  });
});

async function endOf(harness: Awaited<ReturnType<typeof openHarness>>): Promise<JsonObject> {
  const data = (await harness.closed()).at(-1)?.data;
  return isJsonObject(data) ? data : {};
}
