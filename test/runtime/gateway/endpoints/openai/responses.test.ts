import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { openOpenAiStage } from './openai-stage.ts';

const model = 'bar/main';
const long = 'word '.repeat(60).trim();
const weather = {
  ...{ type: 'function' as const, name: 'get_weather', strict: false },
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const askWeather = { call: { tool: 'client.get_weather', input: { city: 'Oslo' } } };

type StreamEvent = OpenAI.Responses.ResponseStreamEvent;

async function collect(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function textOf(events: readonly StreamEvent[]): string {
  return events
    .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
    .join('');
}

function numbersOf(events: readonly StreamEvent[]): readonly number[] {
  return events.map((event) => event.sequence_number);
}

// proves: openai.responses
test('the official client gets a response, whole and as events with consecutive numbers', async () => {
  await using stage = await openOpenAiStage([
    { answer: 'Good day.' },
    { thinking: 'Hm.', answer: long },
  ]);
  const whole = await stage.openai.responses.create({ model, input: 'Hello' });
  expect(whole).toMatchObject({ object: 'response', status: 'completed', model });
  expect(whole.output_text).toBe('Good day.');
  expect(whole.usage?.total_tokens).toBeGreaterThan(100);
  const stream = stage.openai.responses.stream({
    model,
    input: 'And?',
    previous_response_id: whole.id,
  });
  const events: StreamEvent[] = [];
  stream.on('event', (event) => events.push(event));
  const final = await stream.finalResponse();
  expect(final.output_text).toBe(long);
  expect(textOf(events)).toBe(long);
  expect(numbersOf(events)).toEqual(events.map((_, index) => index));
  expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  expect(stage.runtime.model.requests.at(-1)?.text).toContain('Hello');
});

// proves: openai.responses
test('the helper of the official client reads a stream in which the server calls tools', async () => {
  const search = { call: { tool: 'shop.search', input: { query: 'tea' } } };
  await using stage = await openOpenAiStage([
    ...[search, { answer: 'Two teas.' }],
    ...[search, { answer: 'Still two.' }],
  ]);
  const stream = stage.openai.responses.stream({ model, input: 'Tea?' });
  expect((await stream.finalResponse()).output_text).toBe('Two teas.');
  const post = await fetch(`${stage.runtime.url}/v1/responses`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Timeloom-User': 'ann' },
    body: JSON.stringify({ model, input: 'And now?', stream: true }),
  });
  expect(await post.text()).toContain('"type":"agentic_tool_call_progress"');
});

// proves: openai.responses
test.each(['previous_response_id', 'conversation'] as const)(
  'function calls end a response, and their outputs go on with the turn (%s)',
  async (by) => {
    await using stage = await openOpenAiStage([askWeather, { answer: 'It rains.' }]);
    const asked = await stage.openai.responses.create({
      model,
      input: 'Weather?',
      tools: [weather],
    });
    const [call] = asked.output;
    expect(asked.status).toBe('completed');
    expect(call).toMatchObject({
      type: 'function_call',
      name: 'get_weather',
      arguments: '{"city":"Oslo"}',
    });
    if (call?.type !== 'function_call') throw new Error('no call');
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'rain' };
    const place =
      by === 'conversation'
        ? { conversation: asked.conversation?.id ?? '' }
        : { previous_response_id: asked.id };
    const events = await collect(
      await stage.openai.responses.create({ model, input: [output], ...place, stream: true }),
    );
    expect(textOf(events)).toBe('It rains.');
    expect(numbersOf(events)).toEqual(events.map((_, index) => index));
    const [created] = events;
    if (created?.type !== 'response.created') throw new Error('no response');
    expect(created.response.id).toBe(`${asked.id}_1`);
    const again = await stage.openai.responses.retrieve(created.response.id);
    expect(again.output_text).toBe('It rains.');
    expect((await stage.openai.responses.retrieve(asked.id)).output).toEqual(asked.output);
  },
);

// proves: openai.background
test('a background response goes on without its client and is followed from any event', async () => {
  const slow = { answer: long, chunk: 7, delay_ms: 3 };
  await using stage = await openOpenAiStage([slow]);
  const first = await stage.openai.responses.create({
    ...{ model, input: 'Go', background: true, stream: true },
  });
  const seen: StreamEvent[] = [];
  for await (const event of first) {
    seen.push(event);
    if (seen.length === 9) break;
  }
  const [created] = seen;
  if (created?.type !== 'response.created') throw new Error('no response');
  const { id } = created.response;
  const rest = await collect(
    await stage.openai.responses.retrieve(id, { stream: true, starting_after: 8 }),
  );
  const all = [...seen, ...rest];
  expect(numbersOf(all)).toEqual(all.map((_, index) => index));
  expect(textOf(all)).toBe(long);
  expect(all.at(-1)?.type).toBe('response.completed');
  // The log gives the same events again, whatever was streamed.
  const replayed = await collect(
    await stage.openai.responses.retrieve(id, { stream: true, starting_after: -1 }),
  );
  expect(replayed.map((event) => [event.sequence_number, event.type])).toEqual(
    all.map((event) => [event.sequence_number, event.type]),
  );
  expect((await stage.openai.responses.retrieve(id)).output_text).toBe(long);
  await expect(stage.client({ user: 'bob' }).responses.retrieve(id)).rejects.toMatchObject({
    status: 404,
  });
});

// proves: openai.json
test('a background response with a JSON Schema is that JSON for everybody who gets it', async () => {
  const schema = { type: 'object', properties: { sum: { type: 'integer' } }, required: ['sum'] };
  await using stage = await openOpenAiStage([{ answer: 'It is 3.', output: { sum: 3 } }]);
  const started = await stage.openai.responses.create({
    ...{ model, input: 'Go', background: true },
    text: { format: { type: 'json_schema', name: 'sum', schema } },
  });
  const events = await collect(
    await stage.openai.responses.retrieve(started.id, { stream: true, starting_after: -1 }),
  );
  expect(JSON.parse(textOf(events))).toEqual({ sum: 3 });
  const response = await stage.openai.responses.retrieve(started.id);
  expect(JSON.parse(response.output_text)).toEqual({ sum: 3 });
  const cancelled = await stage.openai.responses.cancel(started.id);
  expect(cancelled.output).toEqual(response.output);
});

// proves: openai.background
test('a background response is cancelled on request', async () => {
  const slow = { answer: 'word '.repeat(2_000), chunk: 5, delay_ms: 20 };
  await using stage = await openOpenAiStage([slow]);
  const started = await stage.openai.responses.create({ model, input: 'Go', background: true });
  expect(started.status).toBe('in_progress');
  const cancelled = await stage.openai.responses.cancel(started.id);
  expect(cancelled.status).toBe('cancelled');
  expect((await stage.openai.responses.retrieve(started.id)).status).toBe('cancelled');
});

// proves: openai.responses
test('a conversation of the client is one everywhere', async () => {
  await using stage = await openOpenAiStage([{ answer: 'One.' }, { answer: 'Two.' }]);
  const { id } = await stage.openai.conversations.create();
  const one = await stage.openai.responses.create({ model, input: 'A', conversation: id });
  expect(one.conversation?.id).toBe(id);
  await stage.openai.responses.create({ model, input: 'B', conversation: { id } });
  expect(stage.runtime.model.requests.at(-1)?.text).toContain('One.');
});

// proves: openai.errors
test('an unknown response is an error that names it', async () => {
  await using stage = await openOpenAiStage([]);
  const request = { model, input: 'x', previous_response_id: 'resp_turn_none' };
  await expect(stage.openai.responses.create(request)).rejects.toMatchObject({
    ...{ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' },
  });
  await expect(stage.openai.responses.retrieve('resp_x')).rejects.toMatchObject({ status: 404 });
});
