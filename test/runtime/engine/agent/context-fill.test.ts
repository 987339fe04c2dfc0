import { expect, test } from 'vitest';
import { agentDefaults } from '../../../../runtime/sdk/contract/agent-settings.ts';
import { openHarness } from '../kit/harness.ts';

const agent = { context: { ...agentDefaults.context, maxTokens: 17_000 } };
const long = 'The harbour was quiet and the lamps were lit one by one. '.repeat(400);

// proves: timeline.context-fill
test('from half of its context on, the model reads how full it is', async () => {
  const replies = [{ answer: 'One.' }, { answer: 'Two.' }];
  await using harness = await openHarness(replies, { agent });
  await harness.say('Which lamps?');
  await harness.closed(1);
  await harness.say(long);
  await harness.closed(2);
  const [first = '', second = ''] = harness.model.requests.map(({ text }) => text);
  expect(first).not.toContain('- context:');
  const row =
    /^- context: (\d+) % full; at 100 % a summary replaces older turns and rounds\. Write a note to yourself of any detail in them that you still need$/m;
  const percent = Number(row.exec(second)?.[1]);
  expect(percent).toBeGreaterThan(50);
  expect(percent).toBeLessThan(100);
});
