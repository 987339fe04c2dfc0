import OpenAI, { toFile } from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openOpenAiStage } from './openai-stage.ts';

const model = 'bar/main';
const hello = { model, messages: [{ role: 'user' as const, content: 'Hello' }] };
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const askWeather = { call: { tool: 'client.get_weather', input: { city: 'Oslo' } } };

function code(status: number, expected: string) {
  return { status, code: expected };
}

// proves: openai.chat
test('the official client gets the answer of a turn, streamed and whole', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Good day.' }, { answer: 'Again.' }]);
  const whole = await stage.openai.chat.completions.create(hello);
  expect(whole.choices[0]).toMatchObject({
    finish_reason: 'stop',
    message: { role: 'assistant', content: 'Good day.' },
  });
  expect(whole.usage?.prompt_tokens).toBeGreaterThan(100);
  expect(whole.model).toBe(model);
  const stream = stage.openai.chat.completions.stream({
    ...hello,
    stream_options: { include_usage: true },
  });
  const texts: string[] = [];
  stream.on('content', (text) => texts.push(text));
  const final = await stream.finalChatCompletion();
  expect(texts.join('')).toBe('Again.');
  expect(final.choices[0]?.message.content).toBe('Again.');
  expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(100);
});

// proves: openai.models
test('agents are models, of the default bundle by their name alone', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Yes.' }]);
  const { data } = await stage.openai.models.list();
  expect(data.map(({ id }) => id)).toEqual(['bar/main', 'bar/other']);
  expect(await stage.openai.models.retrieve('bar/other')).toMatchObject({ id: 'bar/other' });
  const named = await stage.openai.chat.completions.create({ ...hello, model: 'other' });
  expect(named.choices[0]?.message.content).toBe('Yes.');
  const unknown = { ...hello, model: 'gpt-4o' };
  await expect(stage.openai.chat.completions.create(unknown)).rejects.toMatchObject({
    ...code(404, 'model_not_found'),
    param: 'model',
    type: 'invalid_request_error',
  });
  await expect(stage.openai.models.retrieve('bar/none')).rejects.toMatchObject({ status: 404 });
});

// proves: openai.tools
test('tools of the server run in the turn and are reported as mistral.rs reports them', async () => {
  const search = { call: { tool: 'shop.search', input: { query: 'gin' } } };
  const write = { call: { tool: 'shop.write', input: { text: 'gin' } } };
  await using stage = await openOpenAiStage([search, write, { answer: 'Done.' }]);
  const Beside = z.looseObject({ type: z.string().optional(), phase: z.string().optional() });
  const seen: z.infer<typeof Beside>[] = [];
  const stream = await stage.openai.chat.completions.create({ ...hello, stream: true });
  for await (const chunk of stream) {
    expect(Array.isArray(chunk.choices)).toBe(true);
    seen.push(Beside.parse(chunk));
  }
  const reports = seen.filter(({ type }) => type !== undefined);
  expect(reports.map(({ type, phase }) => phase ?? type)).toEqual([
    ...['calling', 'complete', 'calling', 'file_produced', 'complete'],
  ]);
  expect(reports[1]).toMatchObject({
    ...{ round: 1, tool_name: 'shop.search' },
    data: { tool_type: 'web_search', query: 'gin', results_count: 2 },
  });
  const { file } = z
    .looseObject({ file: z.looseObject({ id: z.string() }) })
    .parse(reports.find(({ type }) => type === 'file_produced'));
  expect(file.id).toMatch(/^file_turn_\w+_r2_0$/);
  expect(seen.at(-1)).toMatchObject({ files: [{ id: file.id }] });
  const content = await stage.openai.files.content(file.id);
  expect(await content.text()).toBe('gin');
  expect(await stage.openai.files.retrieve(file.id)).toMatchObject({ filename: 'list.txt' });
  await expect(stage.client({ user: 'bob' }).files.retrieve(file.id)).rejects.toMatchObject({
    status: 404,
  });
});

// proves: openai.client-tools
test.each([true, false])(
  'functions of the request come back as tool_calls, and their results go on (stream: %s)',
  async (stream) => {
    await using stage = await openOpenAiStage([askWeather, { answer: 'It rains.' }]);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather?' }];
    const create = async () => {
      const request = { model, messages, tools: [weather] };
      if (!stream) return stage.openai.chat.completions.create(request);
      return stage.openai.chat.completions.stream(request).finalChatCompletion();
    };
    const asked = await create();
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({
      function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
    });
    messages.push(choice?.message ?? { role: 'assistant' });
    messages.push({ role: 'tool', tool_call_id: call?.id ?? '', content: '{"sky":"rain"}' });
    const answered = await create();
    expect(answered.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'It rains.' },
    });
    expect(answered.id).toBe(asked.id);
    expect(stage.runtime.model.requests.at(-1)?.text).toContain('rain');
  },
);

// proves: openai.client-tools
test('a result for a call that nothing waits for is refused', async () => {
  await using stage = await openOpenAiStage([]);
  const messages = [{ role: 'tool' as const, tool_call_id: 'tc_none', content: 'x' }];
  await expect(stage.openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
    ...code(400, 'tool_call_not_found'),
    param: 'messages[0].tool_call_id',
  });
});

// proves: openai.conversation
test('the header names the conversation, in which only the last message is new', async () => {
  await using stage = await openOpenAiStage([{ answer: 'One.' }, { answer: 'Two.' }]);
  const { response } = await stage.openai.chat.completions.create(hello).withResponse();
  const conversation = response.headers.get('x-timeloom-conversation') ?? '';
  expect(conversation).toMatch(/^conv_/);
  const messages = [
    { role: 'user' as const, content: 'Forget this' },
    { role: 'assistant' as const, content: 'Forgotten' },
    { role: 'user' as const, content: 'And now?' },
  ];
  const headers = { 'X-Timeloom-Conversation': conversation };
  await stage.openai.chat.completions.create({ model, messages }, { headers });
  const prompt = stage.runtime.model.requests.at(-1)?.text ?? '';
  expect(prompt).toContain('Hello');
  expect(prompt).toContain('And now?');
  expect(prompt).not.toContain('Forget');
});

// proves: openai.conversation
test('without a conversation the earlier messages are a transcript before the prompt', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Blue.' }]);
  const messages = [
    { role: 'system' as const, content: 'Speak briefly.' },
    { role: 'user' as const, content: 'My color is blue.' },
    { role: 'assistant' as const, content: 'Noted.' },
    { role: 'user' as const, content: 'Which color?' },
  ];
  await stage.openai.chat.completions.create({ model, messages });
  const prompt = stage.runtime.model.requests.at(-1)?.text ?? '';
  expect(prompt).toContain('EARLIER MESSAGES');
  expect(prompt).toContain('Speak briefly.');
  expect(prompt.indexOf('My color is blue.')).toBeLessThan(prompt.indexOf('Which color?'));
});

// proves: openai.idempotent
test('a repeated request with the same key gets the same answer of the same turn', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Once.' }]);
  const headers = { 'Idempotency-Key': 'key 1' };
  const first = await stage.openai.chat.completions.create(hello, { headers });
  const second = await stage.openai.chat.completions.create(hello, { headers });
  expect(second).toEqual(first);
  expect(stage.runtime.model.requests).toHaveLength(1);
  const other = { ...hello, messages: [{ role: 'user' as const, content: 'Other' }] };
  await expect(stage.openai.chat.completions.create(other, { headers })).rejects.toMatchObject({
    status: 409,
  });
});

// proves: openai.exec
test('programs run only for a request that asks for them, and only where the agent may', async () => {
  await using stage = await openOpenAiStage([]);
  const request = { ...hello, enable_code_execution: true };
  await expect(stage.openai.chat.completions.create(request)).rejects.toMatchObject({
    status: 400,
    param: 'enable_code_execution',
  });
});

// proves: message.options
test('max_tool_rounds lowers the rounds of the turn', async () => {
  const search = { call: { tool: 'shop.search', input: { query: 'gin' } } };
  await using stage = await openOpenAiStage([search, { answer: 'Gin one.' }]);
  const request = { ...hello, max_tool_rounds: 1 };
  const done = await stage.openai.chat.completions.create(request);
  expect(done.choices[0]?.message.content).toBe('Gin one.');
  const [first, last, ...more] = stage.runtime.model.requests.map(({ text }) => text);
  expect(first).toContain('ANNOUNCE - Round 1/1');
  expect(last).toContain('PHASE finalize: the budget of this turn is spent.');
  expect(more).toEqual([]);
});

// proves: openai.files
test('images and files of a message are attachments, from data URLs and from uploads', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Seen.' }, { answer: 'Read.' }]);
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content: OpenAI.ChatCompletionContentPart[] = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
  ];
  const seen = await stage.openai.chat.completions.create({
    model,
    messages: [{ role: 'user', content }],
  });
  expect(seen.choices[0]?.message.content).toBe('Seen.');
  const file = await stage.openai.files.create({
    file: await toFile(Buffer.from('a,b\n1,2\n'), 'table.csv'),
    purpose: 'user_data',
  });
  expect(file).toMatchObject({ object: 'file', filename: 'table.csv', bytes: 8 });
  expect((await stage.openai.files.list()).data.map(({ id }) => id)).toEqual([file.id]);
  expect(await (await stage.openai.files.content(file.id)).text()).toBe('a,b\n1,2\n');
  await stage.openai.chat.completions.create({
    model,
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: file.id } }] }],
  });
  expect(stage.runtime.model.requests.at(-1)?.text).toContain('table.csv');
  expect(await stage.openai.files.delete(file.id)).toMatchObject({ deleted: true });
  await expect(stage.openai.files.retrieve(file.id)).rejects.toMatchObject({ status: 404 });
});

// proves: openai.errors
test.each([
  [{ model }, 'messages'],
  [{ ...hello, n: 2 }, 'n'],
  [{ ...hello, messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
  [{ ...hello, tool_choice: 'required' }, 'tool_choice'],
  [{ ...hello, tools: [{ type: 'retrieval' }] }, 'tools[0].type'],
  [
    {
      ...hello,
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://x' } }] },
      ],
    },
    'messages[0].content[0].image_url.url',
  ],
])('an invalid request names its field: %#', async (body, param) => {
  await using stage = await openOpenAiStage([]);
  await expect(stage.openai.post('/chat/completions', { body })).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    param,
  });
});

// proves: openai.errors
test('every error has the shape of OpenAI, also without a route', async () => {
  await using stage = await openOpenAiStage([]);
  await expect(stage.openai.get('/nothing')).rejects.toMatchObject({ status: 404 });
  const broken = await fetch(`${stage.runtime.url}/v1/chat/completions`, {
    method: 'POST',
    body: '{',
  });
  expect(broken.status).toBe(400);
  expect(await broken.json()).toMatchObject({
    error: { type: 'invalid_request_error', param: null },
  });
});

test('a failed turn is an error that the client does not repeat', async () => {
  await using stage = await openOpenAiStage([{ fault: { code: 'MODEL_REFUSED' } }]);
  const openai = stage.client({ retries: 2 });
  await expect(openai.chat.completions.create(hello)).rejects.toMatchObject({
    ...code(500, 'MODEL_REFUSED'),
    type: 'server_error',
  });
  expect(stage.runtime.model.requests).toHaveLength(1);
});

test('the same routes are below the tenant and the project', async () => {
  await using stage = await openOpenAiStage([{ answer: 'Here.' }]);
  const openai = new OpenAI({ baseURL: `${stage.runtime.url}/api/openai/dev/dev/v1`, apiKey: 'x' });
  const answered = await openai.chat.completions.create(hello);
  expect(answered.choices[0]?.message.content).toBe('Here.');
});
