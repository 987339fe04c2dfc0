import { expect, test } from 'vitest';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import type { ModelRequest, PromptPart } from '../../../../runtime/engine/ports/model.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import { answerOf } from './ask.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const longMark = { cache_control: { type: 'ephemeral', ttl: '1h' } };

function marked(text: string): PromptPart {
  return { kind: 'text', text, checkpoint: true };
}

function asking(parts: readonly PromptPart[]): ModelRequest {
  return { role: 'decision', system: 'You act.', parts, maxOutputTokens: 99, temperature: 0.5 };
}

async function sent(
  parts: readonly PromptPart[],
  create: (wire: ModelWire) => ReturnType<typeof createOpenaiModel>,
) {
  await using wire = await openModelWire(() => ({ text: ['ok'] }));
  await answerOf(create(wire), asking(parts));
  return wire.requests[0];
}

const anthropic = ({ anthropicUrl: baseUrl }: ModelWire) =>
  createAnthropicModel({ model: 'claude-wire', apiKey: 'key', baseUrl });

// proves: models.cache-marks
test('anthropic: the system text carries a long cache mark, each checkpoint a short one, and nothing else any', async () => {
  const parts: PromptPart[] = [marked('one'), { kind: 'text', text: 'two' }, marked('three')];
  const request = await sent(parts, anthropic);
  expect(request?.body).toEqual({
    model: 'claude-wire',
    max_tokens: 99,
    stream: true,
    system: [{ type: 'text', text: 'You act.', ...longMark }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one', ...mark },
          { type: 'text', text: 'two' },
          { type: 'text', text: 'three', ...mark },
        ],
      },
    ],
  });
  expect(request?.headers.authorization).toBe('Bearer key');
});

test('anthropic: of more than three checkpoints the last three are kept', async () => {
  const request = await sent(['a', 'b', 'c', 'd', 'e'].map(marked), anthropic);
  expect(request?.raw.match(/ephemeral/g)).toHaveLength(4);
  expect(request?.body).toMatchObject({
    messages: [{ content: [{}, { text: 'b' }, { text: 'c', ...mark }, mark, mark] }],
  });
});

test('anthropic: images and documents are blocks, and what it cannot read is named in words', async () => {
  const request = await sent(
    [
      { kind: 'image', text: 'aW1n', mime: 'image/png', checkpoint: true },
      { kind: 'document', text: 'cGRm', mime: 'application/pdf' },
      { kind: 'image', text: 'c3Zn', mime: 'image/svg+xml' },
      { kind: 'text', text: '' },
    ],
    anthropic,
  );
  expect(request?.body['messages']).toEqual([
    {
      role: 'user',
      content: [
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: 'aW1n' },
          ...mark,
        },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
        },
        { type: 'text', text: '[image of type image/svg+xml: not readable here]' },
      ],
    },
  ]);
});

test('openai: system and one user message of parts, usage asked for, no temperature', async () => {
  const request = await sent(
    [
      marked('one'),
      { kind: 'image', text: 'aW1n', mime: 'image/png' },
      { kind: 'document', text: 'cGRm', mime: 'application/pdf' },
    ],
    ({ openaiUrl: baseUrl }) =>
      createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', apiKey: 'key', baseUrl }),
  );
  expect(request?.body).toEqual({
    model: 'gpt-wire',
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 99,
    messages: [
      { role: 'system', content: 'You act.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aW1n' } },
          {
            type: 'file',
            file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,cGRm' },
          },
        ],
      },
    ],
  });
  expect(request?.headers.authorization).toBe('Bearer key');
});

test('a compatible server is asked in the older words, without a key if there is none', async () => {
  const request = await sent([{ kind: 'text', text: 'one' }], ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'llama', flavour: 'openai-compatible', baseUrl }),
  );
  expect(request?.body).toMatchObject({ model: 'llama', max_tokens: 99, temperature: 0.5 });
  expect(request?.body).not.toHaveProperty('max_completion_tokens');
  expect(request?.headers.authorization).toBeUndefined();
});

test('a compatible server gets a note instead of a document, because most reject a request with one', async () => {
  const pdf = { kind: 'document', text: 'cGRm', mime: 'application/pdf' } as const;
  const request = await sent([pdf], ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'llama', flavour: 'openai-compatible', baseUrl }),
  );
  expect(JSON.stringify(request?.body)).toContain('(application/pdf: not sent to this model)');
});

const add = {
  name: 'math__add',
  description: 'Adds.',
  schema: { type: 'object', properties: { a: { type: 'number' } } },
} as const;
const choices = ['auto', 'none', 'required', { tool: 'math__add' }] as const;

// proves: models.offer
test.each([
  [
    'anthropic',
    [{ type: 'auto' }, { type: 'none' }, { type: 'any' }, { type: 'tool', name: 'math__add' }],
  ],
  ['openai', ['auto', 'none', 'required', { type: 'function', function: { name: 'math__add' } }]],
] as const)('%s: tools are offered with each kind of choice', async (provider, expected) => {
  await using wire = await openModelWire(() => ({ text: ['ok'] }));
  const model = provider === 'anthropic' ? anthropic(wire) : openai(wire);
  for (const choice of choices) {
    await answerOf(model, { ...asking([marked('one')]), offer: { tools: [add], choice } });
  }
  expect(wire.requests.map(({ body }) => body['tool_choice'])).toEqual(expected);
  expect(wire.requests[0]?.body['tools']).toEqual([
    provider === 'anthropic'
      ? {
          ...{ name: 'math__add', description: 'Adds.', input_schema: add.schema },
          eager_input_streaming: true,
        }
      : {
          type: 'function',
          function: { name: 'math__add', description: 'Adds.', parameters: add.schema },
        },
  ]);
});

test.each(['anthropic', 'openai'] as const)(
  '%s: an offer without tools is not sent',
  async (provider) => {
    await using wire = await openModelWire(() => ({ text: ['ok'] }));
    const model = provider === 'anthropic' ? anthropic(wire) : openai(wire);
    await answerOf(model, { ...asking([]), offer: { tools: [], choice: 'auto' } });
    expect(Object.keys(wire.requests[0]?.body ?? {})).not.toContain('tools');
    expect(Object.keys(wire.requests[0]?.body ?? {})).not.toContain('tool_choice');
  },
);

test('openai: a reply can be restricted to one JSON object', async () => {
  await using wire = await openModelWire(() => ({ text: ['{}'] }));
  await answerOf(openai(wire), { ...asking([marked('Answer in JSON.')]), format: 'json' });
  expect(wire.requests[0]?.body['response_format']).toEqual({ type: 'json_object' });
});

const openai = ({ openaiUrl: baseUrl }: ModelWire) =>
  createOpenaiModel({ model: 'gpt-wire', flavour: 'openai', apiKey: 'key', baseUrl });
