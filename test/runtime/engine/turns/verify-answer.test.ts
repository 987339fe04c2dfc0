import { expect, test } from 'vitest';
import type { Reply } from '../../../../runtime/adapters/models/scripted/reply.ts';
import { isJsonObject, type JsonObject } from '../../../../runtime/base/json.ts';
import type { ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import {
  type AgentSettings,
  agentDefaults,
} from '../../../../runtime/sdk/contract/agent-settings.ts';
import type { Block } from '../../../../runtime/timeline/block.ts';
import { verify } from '../../../../runtime/timeline/verify/verify.ts';
import { openHarness, outline } from '../kit/harness.ts';

const verifying: Partial<AgentSettings> = {
  policies: { ...agentDefaults.policies, verify: 'once' },
};
const dataOf = (block: Block | undefined): JsonObject =>
  isJsonObject(block?.data) ? block.data : {};
const verdict = (fits: boolean, lacks = ''): Reply => ({
  role: 'small',
  answer: JSON.stringify({ fits, lacks }),
});
const checks = (requests: readonly Pick<ModelRequest, 'role'>[]) =>
  requests.filter(({ role }) => role === 'small');

async function turn(replies: readonly Reply[], agent = verifying) {
  await using harness = await openHarness(replies, { agent });
  await harness.say('Add 1 and 2, and name the larger one');
  const blocks = await harness.closed();
  expect(verify(blocks)).toEqual([]);
  const { requests } = harness.model;
  const shown = (await harness.frames()).flatMap((frame) => ('text' in frame ? [frame.text] : []));
  return { blocks, requests, shown: shown.join(''), end: dataOf(blocks.at(-1)) };
}

// proves: answer.verified
test('an answer that fits is delivered after one check, whose level is on the log', async () => {
  const { end, requests, blocks } = await turn([{ answer: '3, and 2.' }, verdict(true)]);
  expect(end).toMatchObject({ reason: 'completed', text: '3, and 2.', completions: 1 });
  expect(checks(requests)).toHaveLength(1);
  const call = blocks.find(
    ({ type, data }) => type === 'model.call' && dataOf({ data } as Block)['role'] === 'small',
  );
  expect(dataOf(call)).toMatchObject({ role: 'small', level: 'plain' });
});

// proves: answer.verified
test('an answer that lacks something is shown to no one; the model reads what, and answers once more', async () => {
  const replies = [
    ...[{ answer: 'The sum is 3.' }, verdict(false, 'The larger number is not named.')],
    { answer: '3, and 2.' },
  ];
  const { end, requests, shown, blocks } = await turn(replies);
  expect(end).toMatchObject({ reason: 'completed', text: '3, and 2.', completions: 1 });
  expect(shown).not.toContain('The sum is 3.');
  expect(requests.at(-1)?.text).toContain('The check: The larger number is not named.');
  expect(checks(requests)).toHaveLength(1);
  expect(outline(blocks, 'assistant')).toEqual(['assistant.completion']);
});

// proves: answer.verified
test.each([
  [
    'says nothing usable',
    [
      { role: 'small', answer: 'Hm.' },
      { role: 'small', answer: 'Hm.' },
    ],
  ],
  ['fails', [{ role: 'small', fault: { code: 'MODEL_REFUSED' } }]],
] as const)('a check that %s delivers the answer', async (_, small) => {
  const { end } = await turn([{ answer: '3.' }, ...(small as unknown as readonly Reply[])]);
  expect(end).toMatchObject({ reason: 'completed', text: '3.' });
});

// proves: answer.verified
test('without a round left nothing is checked', async () => {
  const budgets = { ...agentDefaults.budgets, rounds: 1 };
  const policies = { ...agentDefaults.policies, verify: 'once', exhausted: 'close' } as const;
  const { end, requests } = await turn([{ answer: '3.' }], { budgets, policies });
  expect(end).toMatchObject({ text: '3.' });
  expect(checks(requests)).toEqual([]);
});
