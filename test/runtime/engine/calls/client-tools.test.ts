import { expect, test } from 'vitest';
import { toCallId, toTurnId } from '../../../../runtime/timeline/ids.ts';
import { paths } from '../../../../runtime/timeline/paths.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { agentWith, openHarness, outline } from '../kit/harness.ts';

const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
};
const ask = { call: { tool: 'client.get_weather', input: { city: 'Oslo' } } };
const options = { tools: [weather] };

// proves: options.tools
test('a function of a message is a tool of its turn, whose calls its sender performs', async () => {
  await using harness = await openHarness([ask, { answer: 'Rain.' }, { answer: 'Later.' }]);
  const { turn } = await harness.say('Oslo?', { options });
  const blocks = await harness.until((all) => all.some(({ type }) => type === 'external.call'));
  await harness.idle();
  expect(harness.model.requests[0]?.text).toContain('client.get_weather');
  expect(harness.model.requests[0]?.text).toContain('The weather in a city.');
  const asked = blocks.findLast(({ type }) => type === 'external.call');
  expect(asked?.data).toMatchObject({ tool: 'client.get_weather', input: { city: 'Oslo' } });
  const call = asked?.call ?? toCallId('');
  const path = paths.external(turn ?? toTurnId(''), 'result', call);
  await harness.write({ type: 'external.result', path, data: { call, ok: true, ret: 'rain' } });
  const closed = await harness.closed();
  expect(harness.model.requests[1]?.text).toContain('rain');
  expect(outline(closed, 'react.tool')).toEqual(['react.tool.call', 'react.tool.result']);
  expect(verify(closed)).toEqual([]);
  await harness.say('And now?');
  await harness.closed(2);
  expect(harness.model.requests[2]?.text).not.toContain('The weather in a city.');
});

// proves: options.tools
test('a turn waits for its sender even if its agent hands external tools off', async () => {
  const { policies } = agentWith();
  const agent = { policies: { ...policies, externalTools: 'hand_off' as const } };
  await using harness = await openHarness([ask, { answer: 'Rain.' }], { agent });
  await harness.say('Oslo?', { options });
  const blocks = await harness.until((all) => all.some(({ type }) => type === 'external.call'));
  await harness.idle();
  expect(blocks.findLast(({ type }) => type === 'external.call')?.data).not.toHaveProperty(
    'handed_off',
  );
  expect(blocks.some(({ type }) => type === 'turn.close')).toBe(false);
});

test('a call without a required input is refused before its sender sees it', async () => {
  const empty = { call: { tool: 'client.get_weather', input: {} } };
  await using harness = await openHarness([empty, { answer: 'Where?' }]);
  await harness.say('Weather?', { options });
  const blocks = await harness.closed();
  expect(blocks.some(({ type }) => type === 'external.call')).toBe(false);
  expect(blocks.find(({ type }) => type === 'react.tool.result')?.data).toMatchObject({
    error: { code: 'invalid_input', violations: [{ path: 'city' }] },
  });
});
