import { expect, test } from 'vitest';
import { openOpenAiStage } from './openai-stage.ts';

const model = 'bar/main';
const headers = { 'X-Timeloom-Conversation': 'conv_a', 'X-Timeloom-Kind': 'steer' };
const half = { answer: 'It is three, {{hold}}because one and two are three.', hold: 'half' };

function say(content: string) {
  return { model, messages: [{ role: 'user' as const, content }] };
}

/** A turn in the middle of its answer, and its completion. */
async function openAnswering(...replies: Parameters<typeof openOpenAiStage>[0]) {
  const stage = await openOpenAiStage([half, ...replies]);
  const own = { headers: { 'X-Timeloom-Conversation': 'conv_a' } };
  const first = stage.openai.chat.completions.create(say('Sum?'), own);
  await stage.runtime.model.held('half');
  return { stage, first, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() };
}

// proves: openai.steer
test('a message with the kind steer redirects the running turn, and both requests get the new answer', async () => {
  await using turn = await openAnswering({ answer: '3' });
  const { stage, first } = turn;
  const steered = await stage.openai.chat.completions.create(say('Only the number.'), { headers });
  expect(steered.choices[0]?.message.content).toBe('3');
  expect((await first).choices[0]?.message.content).toBe('3');
  expect(stage.runtime.model.requests.at(-1)?.text).toContain('Only the number.');
});

// proves: openai.steer
test('a response steers as well, and a steer without text stops the turn', async () => {
  await using turn = await openAnswering();
  const { stage, first } = turn;
  const stopped = await stage.openai.responses.create({ model, input: '' }, { headers });
  expect(stopped.status).toBe('cancelled');
  await first;
  expect(stage.runtime.model.requests).toHaveLength(1);
});

// proves: openai.steer
test('an unknown kind is refused with the known ones, and so is a steer without a running turn', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Hello.' }]);
  const unknown = { headers: { ...headers, 'X-Timeloom-Kind': 'push' } };
  await expect(stage.openai.chat.completions.create(say('Hi'), unknown)).rejects.toThrow(
    '400 X-Timeloom-Kind: must be prompt, followup, steer',
  );
  await expect(stage.openai.chat.completions.create(say('Hi'), { headers })).rejects.toMatchObject({
    status: 404,
  });
});
