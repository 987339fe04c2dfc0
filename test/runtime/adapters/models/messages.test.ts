import { expect, test } from 'vitest';
import { inputDigest } from '../../../../runtime/adapters/models/providers/ai-sdk/metadata.ts';
import { openAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/open-ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import type { JsonObject } from '../../../../runtime/base/json.ts';
import type { Model, ModelRequest, PromptMessage } from '../../../../runtime/engine/ports/model.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import { answerOf, ask } from './ask.ts';

const key = { apiKey: 'key' };
const openers: Record<string, (wire: ModelWire) => Model | Promise<Model>> = {
  anthropic: ({ anthropicUrl: baseUrl }) =>
    createAnthropicModel({ model: 'claude-wire', ...key, baseUrl }),
  openai: ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', ...key, baseUrl }),
  responses: ({ openaiUrl: baseUrl }) =>
    createResponsesModel({ model: 'gpt-wire', flavour: 'openai', ...key, baseUrl }),
  google: ({ googleUrl: baseUrl }) =>
    openAiSdkModel({ provider: 'google', model: 'gemini-wire', ...key, baseUrl }),
};

const text = (words: string, checkpoint?: true) =>
  ({ kind: 'text', text: words, ...(checkpoint ? { checkpoint } : {}) }) as const;
const signed = { type: 'thinking', thinking: 'Add.', signature: 'sig' };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const sealed = { kind: 'call', index: 0, options: { google: { thoughtSignature: 'sealed' } } };

/** Two calls in one reply, one of them failed; two messages in a row are of the user. */
const messages: readonly PromptMessage[] = [
  { role: 'user', parts: [text('Add 1 and 2.', true), text('')] },
  {
    role: 'assistant',
    parts: [
      { kind: 'carry', provider: 'anthropic', item: signed },
      { kind: 'carry', provider: 'openai', item: reasoning },
      { kind: 'carry', provider: 'google', item: sealed },
      text('Adding.'),
      { kind: 'call', call: toCallId('tc_1'), name: 'math__add', input: { a: 1 } },
      { kind: 'call', call: toCallId('tc_2'), name: 'math__add', input: {} },
    ],
  },
  {
    role: 'user',
    parts: [
      { kind: 'result', call: toCallId('tc_1'), ok: true, text: '3' },
      { kind: 'result', call: toCallId('tc_2'), ok: false, text: 'a is missing', checkpoint: true },
    ],
  },
  { role: 'user', parts: [text('And now?')] },
];

const asking: ModelRequest = {
  ...{ role: 'decision', system: '', parts: [], messages, maxOutputTokens: 9, temperature: 0 },
  offer: {
    tools: [{ name: 'math__add', description: 'Adds.', schema: { type: 'object' } }],
    choice: 'auto',
  },
};

async function sent(provider: string): Promise<Record<string, unknown>> {
  await using wire = await openModelWire(() => ({ text: ['ok'] }));
  const model = await openers[provider]?.(wire);
  if (!model) throw new Error(provider);
  await answerOf(model, asking);
  return wire.requests[0]?.body ?? {};
}

// proves: models.messages
test('anthropic: calls and results are blocks, thinking goes back as it came, roles alternate', async () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  expect((await sent('anthropic'))['messages']).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Add 1 and 2.', ...mark }] },
    {
      role: 'assistant',
      content: [
        signed,
        { type: 'text', text: 'Adding.' },
        { type: 'tool_use', id: 'tc_1', name: 'math__add', input: { a: 1 } },
        { type: 'tool_use', id: 'tc_2', name: 'math__add', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'tc_1', content: '3' },
        {
          ...{ type: 'tool_result', tool_use_id: 'tc_2', content: 'a is missing' },
          ...{ is_error: true, ...mark },
        },
        { type: 'text', text: 'And now?' },
      ],
    },
  ]);
});

test('chat completions: each result is a message of its own behind the reply with its call', async () => {
  expect((await sent('openai'))['messages']).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Add 1 and 2.' }] },
    {
      role: 'assistant',
      content: 'Adding.',
      tool_calls: [
        { id: 'tc_1', type: 'function', function: { name: 'math__add', arguments: '{"a":1}' } },
        { id: 'tc_2', type: 'function', function: { name: 'math__add', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'tc_1', content: '3' },
    { role: 'tool', tool_call_id: 'tc_2', content: 'a is missing' },
    { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
  ]);
});

test('responses: reasoning, text, calls and results are items, and nothing is stored', async () => {
  const body = await sent('responses');
  expect(body).toMatchObject({ store: false, max_output_tokens: 9, tool_choice: 'auto' });
  expect(body['input']).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'Add 1 and 2.' }] },
    reasoning,
    { role: 'assistant', content: 'Adding.' },
    { type: 'function_call', call_id: 'tc_1', name: 'math__add', arguments: '{"a":1}' },
    { type: 'function_call', call_id: 'tc_2', name: 'math__add', arguments: '{}' },
    { type: 'function_call_output', call_id: 'tc_1', output: '3' },
    { type: 'function_call_output', call_id: 'tc_2', output: 'a is missing' },
    { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
  ]);
});

test('google: what it attached to a call goes back with that call', async () => {
  const { contents } = await sent('google');
  expect(contents).toMatchObject([
    { role: 'user', parts: [{ text: 'Add 1 and 2.' }] },
    {
      role: 'model',
      parts: [
        { text: 'Adding.' },
        { functionCall: { name: 'math__add', args: { a: 1 } }, thoughtSignature: 'sealed' },
        { functionCall: { name: 'math__add', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'tc_1', name: 'math__add', response: { content: '3' } } },
        { functionResponse: { id: 'tc_2', response: { error: 'a is missing' } } },
      ],
    },
    { role: 'user', parts: [{ text: 'And now?' }] },
  ]);
});

// proves: models.carry
test('what Google attached to a call goes back with it, although the call before it was not accepted', async () => {
  const reply = [
    { name: 'math__add', input: { a: 'broken' } },
    { name: 'math__add', input: { b: 2, a: 1 } },
    { name: 'clock__now', input: {} },
  ];
  await using wire = await openModelWire((_, index) =>
    index === 0 ? { text: [], reasoning: 'Hm.', calls: reply } : { text: ['ok'] },
  );
  const model = await openers['google']?.(wire);
  if (!model) throw new Error('google');
  const { events, ended } = ask(model, asking);
  await ended;
  const carried = events.flatMap((event) => (event.kind === 'carry' ? [event] : []));
  const call = (id: string, name: string, input: JsonObject) =>
    ({ kind: 'call', call: toCallId(id), name, input }) as const;
  const kept = [call('tc_1', 'math__add', { a: 1, b: 2 }), call('tc_2', 'clock__now', {})];
  const results = ['tc_1', 'tc_2'].map(
    (id) => ({ kind: 'result', call: toCallId(id), ok: true, text: '3' }) as const,
  );
  const prompt: readonly PromptMessage[] = [
    { role: 'user', parts: [text('Add.')] },
    { role: 'assistant', parts: [...carried, ...kept] },
    { role: 'user', parts: results },
  ];
  await ask(model, { ...asking, messages: prompt }).ended;
  const contents = wire.requests[1]?.body['contents'] as { parts: object[] }[];
  expect(contents[1]?.parts).toMatchObject([
    { functionCall: { name: 'math__add', args: { a: 1, b: 2 } }, thoughtSignature: 'sealed 1' },
    { functionCall: { name: 'clock__now' }, thoughtSignature: 'sealed 2' },
  ]);
});

// proves: models.carry
test.each([
  ['responses', 'openai', { ...reasoning, summary: [{ type: 'summary_text', text: 'Hm.' }] }],
  [
    'google',
    'google',
    {
      ...{ ...sealed, name: 'math__add', input: inputDigest({ a: 1 }) },
      options: { google: { thoughtSignature: 'sealed 0' } },
    },
  ],
])(
  '%s: reasoning that the provider wants back is an opaque piece',
  async (name, provider, item) => {
    const calls = [{ name: 'math__add', input: { a: 1 } }];
    await using wire = await openModelWire(() => ({ text: ['ok'], reasoning: 'Hm.', calls }));
    const model = await openers[name]?.(wire);
    if (!model) throw new Error(name);
    const { events, ended } = ask(model, asking);
    await ended;
    expect(events.filter(({ kind }) => kind === 'carry')).toEqual([
      { kind: 'carry', provider, item },
    ]);
    expect(events).toContainEqual({ kind: 'reasoning', text: 'Hm.' });
  },
);
