import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  defineAgent,
  defineBundle,
  defineOperation,
  defineTool,
} from '../../../runtime/sdk/index.ts';
import { openRuntime } from '../../../runtime/testing/index.ts';

const check = defineTool({
  id: 'quality.check',
  description: 'Checks the work.',
  input: z.object({}),
  traits: ['neutral'],
  run: async (_, ctx) => {
    await ctx.feedback({
      reaction: 'not_ok',
      text: 'No source.',
      confidence: 0.8,
      name: 'sources',
    });
    return 'checked';
  },
});
const audit = defineOperation({
  id: 'audit',
  input: z.object({ conversation: z.string().optional(), turn: z.string().optional() }),
  run: async ({ conversation, turn }, ctx) => {
    const place = conversation && turn ? { conversation, turn } : {};
    await ctx.feedback({ reaction: 'ok', ...place });
    return 'audited';
  },
});
const main = defineAgent({ id: 'main', instruction: 'Help.', tools: [check] });
const bundle = defineBundle({ id: 'desk', version: '1.0.0', agents: [main], operations: [audit] });

type Satisfaction = { readonly agents: readonly unknown[] };

// proves: feedback.machine, feedback.satisfaction
test('checks of a bundle stand beside the feedback of the user, and both are counted', async () => {
  await using runtime = await openRuntime({
    bundle,
    model: [
      { call: { tool: 'quality.check', input: {} } },
      { answer: 'Oslo.' },
      { answer: 'Bergen.' },
    ],
  });
  const client = runtime.connect();
  const conversation = client.conversation();
  const turn = await conversation.send('Where?');
  await turn.done();
  await conversation.feedback(turn.id, { reaction: 'ok', text: 'Good.' });
  const place = { conversation: conversation.id, turn: turn.id };
  expect(await client.operation('desk', 'audit', place)).toBe('audited');
  expect(await conversation.feedbacks()).toMatchObject([
    { origin: 'machine', reaction: 'not_ok', text: 'No source.' },
    { origin: 'user', reaction: 'ok', text: 'Good.' },
    { origin: 'machine', reaction: 'ok', text: '' },
  ]);
  await (await conversation.send('Sure?')).done();
  const during = runtime.model.requests.at(1)?.text ?? '';
  expect(during).toContain('the check desk-sources (confidence 0.8) says not_ok of t1: No source.');
  const prompt = runtime.model.requests.at(2)?.text ?? '';
  expect(prompt).toContain('the check desk-check (confidence 1) says ok of t1');
  expect(prompt).toContain('the user says ok of t1: Good.');

  const start = '2000-01-01';
  const answer = await fetch(`${runtime.url}/conversations/dev/dev/feedback/satisfaction`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-timeloom-user': 'operator' },
    body: JSON.stringify({ start, end: '2999-01-01' }),
  });
  const { agents } = (await answer.json()) as Satisfaction;
  expect(agents).toEqual([
    {
      agent: 'desk/main',
      user: { ok: 1, not_ok: 0, neutral: 0, rate: 1 },
      machine: { ok: 1, not_ok: 1, neutral: 0, rate: 0.5 },
    },
  ]);
});

// proves: feedback.machine
test('outside a turn, feedback names its conversation and turn, which exist', async () => {
  await using runtime = await openRuntime({ bundle, model: [] });
  const client = runtime.connect();
  await expect(client.operation('desk', 'audit', {})).rejects.toMatchObject({
    code: 'invalid_input',
  });
  const unknown = { conversation: 'conv_unknown', turn: 'turn_unknown' };
  await expect(client.operation('desk', 'audit', unknown)).rejects.toMatchObject({
    code: 'not_found',
  });
});
