import { expect, test } from 'vitest';
import { z } from 'zod';
import { ChatAnswer } from '../../../../../runtime/gateway/projections/openai/chat-answer.ts';
import {
  ChatChunks,
  type ChatOptions,
} from '../../../../../runtime/gateway/projections/openai/chat-chunks.ts';
import { openai } from '../../../../../runtime/gateway/projections/openai/openai.ts';
import { expectGolden } from '../golden-frames.ts';
import { EnvelopeScript, wholeTurn } from './envelopes.ts';

const Chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({ content: z.string().optional() }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.looseObject({}).optional(),
  error: z.looseObject({}).optional(),
});

function framesOf(script: EnvelopeScript, options: ChatOptions = {}) {
  const projection = new ChatChunks(options);
  return script.sent.flatMap((envelope) => projection.take(envelope));
}

function chunksOf(script: EnvelopeScript, options: ChatOptions = {}) {
  return framesOf(script, options).map(({ data }) => Chunk.parse(JSON.parse(data)));
}

function contentOf(script: EnvelopeScript): string {
  const choices = chunksOf(script).flatMap((chunk) => chunk.choices);
  return choices.map((choice) => choice.delta.content ?? '').join('');
}

function answerOf(script: EnvelopeScript): unknown {
  const projection = new ChatAnswer({ model: 'bar/main' });
  const frames = script.sent.flatMap((envelope) => projection.take(envelope));
  expect(projection.isOver).toBe(true);
  return JSON.parse(frames.at(-1)?.data ?? '');
}

// proves: openai.chunks
test('a turn is a stream of chunks, and what chunks cannot express is beside their choices', async () => {
  const frames = framesOf(wholeTurn(), { usage: true });
  const text = frames.map(
    ({ event, data }) => `${event ? `event: ${event}\n` : ''}data: ${data}\n`,
  );
  await expect(text.join('\n')).toMatchFileSnapshot(
    '../../../../golden/projections/openai/chat-chunks.txt',
  );
});

// proves: openai.chunks
test('without streaming, the same turn is one completion with its calls and files', async () => {
  await expect(JSON.stringify(answerOf(wholeTurn()), null, 2)).toMatchFileSnapshot(
    '../../../../golden/projections/openai/chat-completion.json',
  );
});

// proves: openai.chunks
test('every turn of the corpus has its recorded frames', () => expectGolden('openai', openai.open));

// proves: openai.usage
test('prompt tokens include what came from the cache', () => {
  const usage = chunksOf(wholeTurn(), { usage: true }).find((chunk) => chunk.usage)?.usage;
  expect(usage).toMatchObject({ prompt_tokens: 123, completion_tokens: 7, total_tokens: 130 });
  expect(usage).toMatchObject({ prompt_tokens_details: { cached_tokens: 100 } });
});

// proves: openai.client-tools
test('a call of a client ends the completion with tool_calls, and only new tokens count after it', () => {
  const used = { input_tokens: 20, output_tokens: 5 };
  const script = new EnvelopeScript().start().round();
  const call = { call: 'tc_9', tool: 'client.weather', input: { city: 'Oslo' } };
  script.block('chat.tool', { ...call, state: 'external' });
  script.block('external.call', { ...call, deadline: '', usage: used });
  const [calling] = chunksOf(script, { usage: true }).flatMap((chunk) =>
    chunk.choices.filter((choice) => 'tool_calls' in choice.delta),
  );
  expect(calling?.delta['tool_calls']).toEqual([
    {
      ...{ index: 0, id: 'tc_9', type: 'function' },
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    },
  ]);
  const before = framesOf(script, { usage: true }).length;
  expect(chunksOf(script).at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  script.block('chat.tool', { ...call, state: 'done', result: { ok: true, ret: 'rain' } });
  script.answer('Rain.').end({ usage: { input_tokens: 50, output_tokens: 9 } });
  const rest = chunksOf(script, { usage: true }).slice(before);
  expect(rest.at(-1)?.usage).toMatchObject({ prompt_tokens: 30, completion_tokens: 4 });
  expect(rest[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
});

// proves: openai.replaced
test('a text that the turn took back never ends as the answer', () => {
  const script = new EnvelopeScript().start().round().delta('answer', 'It is 41');
  script.reset('turn_a.1.answer.0').round().delta('answer', 'No, 42.').answer('No, 42.');
  script.end({ text: 'No, 42.' });
  const last = chunksOf(script).at(-1);
  expect(last).toMatchObject({
    error: { code: 'answer_replaced', answer: 'No, 42.' },
    choices: [],
  });
  expect(contentOf(script)).toBe('It is 41');
  expect(answerOf(script)).toMatchObject({ choices: [{ message: { content: 'No, 42.' } }] });
});

test('a second answer of a turn follows the first one in the stream, and alone counts without', () => {
  const script = new EnvelopeScript().start().round().answer('One.').round().answer('Two.');
  script.end({ text: 'Two.' });
  expect(contentOf(script)).toBe('One.\n\nTwo.');
  expect(answerOf(script)).toMatchObject({ choices: [{ message: { content: 'Two.' } }] });
});

// proves: openai.replaced
test('an answer that a steer cut short is replaced by the next one, and stays if none follows', () => {
  const cut = () => {
    const script = new EnvelopeScript().start().round().delta('answer', 'Half a').answer('Half a');
    return script.block('round.close', { round: 1, outcome: 'interrupted' });
  };
  const steered = cut().round().answer('Two.').end({ text: 'Two.' });
  expect(contentOf(steered)).toBe('Half a');
  expect(chunksOf(steered).at(-1)).toMatchObject({
    error: { code: 'answer_replaced', answer: 'Two.' },
  });
  const stopped = cut().end({ reason: 'interrupted', text: 'Half a' });
  expect(contentOf(stopped)).toBe('Half a');
  expect(chunksOf(stopped).at(-1)?.choices[0]?.finish_reason).toBe('stop');
});

// proves: openai.replaced
test('an answer that was replaced comes with the files and calls of the turn', () => {
  const script = new EnvelopeScript().start().round().delta('answer', 'Half a').answer('Half a');
  script.block('round.close', { round: 1, outcome: 'interrupted' }).round();
  const item = { path: 'fi:turn_a.outputs/a.csv', filename: 'a.csv', size: 3, mime: 'text/csv' };
  script.block('chat.tool', { call: 'tc_1', tool: 'a.make', input: {}, state: 'running' });
  script.block('chat.files', { items: [item], call: 'tc_1' });
  script.block('chat.tool', { call: 'tc_1', tool: 'a.make', state: 'done', result: { ok: true } });
  expect(chunksOf(script.round().answer('Two.').end({ text: 'Two.' })).at(-1)).toMatchObject({
    ...{ error: { code: 'answer_replaced' }, files: [{ filename: 'a.csv' }] },
    agentic_tool_calls: [{ name: 'a.make' }],
  });
});

test('a failed turn ends its stream with an error', () => {
  const script = new EnvelopeScript().start();
  script.block('chat.error', { code: 'MODEL_REFUSED', message: 'no', reason: 'failed', text: '' });
  expect(chunksOf(script).at(-1)?.error).toMatchObject({ code: 'MODEL_REFUSED', message: 'no' });
  expect(answerOf(script)).toMatchObject({ error: { type: 'server_error' } });
});

test('what a stopped turn had written stays its answer', () => {
  const script = new EnvelopeScript().start().round().delta('answer', 'Half a');
  script.end({ reason: 'interrupted', completions: 0 });
  expect(chunksOf(script).at(-1)?.choices[0]?.finish_reason).toBe('stop');
  expect(contentOf(script)).toBe('Half a');
});
