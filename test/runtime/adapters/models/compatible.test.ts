import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import {
  createOpenaiModel,
  type OpenaiOptions,
} from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { ThinkTags } from '../../../../runtime/adapters/models/providers/openai/think-tags.ts';
import { type Fault, isFault } from '../../../../runtime/base/fault.ts';
import type { ReplyPiece } from '../../../../runtime/channels/protocol/reply-piece.ts';
import type { ModelRequest } from '../../../../runtime/engine/ports/model.ts';
import { toCallId } from '../../../../runtime/timeline/ids.ts';
import { runs } from '../../../tools/runs.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import { answerOf, ask, request, textOf } from './ask.ts';

type Options = Partial<Pick<OpenaiOptions, 'server' | 'content'>>;

function compatible({ openaiUrl: baseUrl }: ModelWire, options: Options = {}) {
  return createOpenaiModel({
    ...{ model: 'qwen3-8b', flavour: 'openai-compatible', baseUrl, retriesMax: 0 },
    ...options,
  });
}

async function faultOf(answer: Promise<unknown>): Promise<Fault> {
  const thrown: unknown = await answer.catch((error: unknown) => error);
  if (!isFault(thrown)) throw new Error(`not a fault: ${String(thrown)}`);
  return thrown;
}

const add = { name: 'math__add', description: 'Adds.', schema: { type: 'object' } } as const;
const forced: ModelRequest = request('Reply in JSON.', {
  offer: { tools: [add], choice: { tool: 'math__add' } },
  format: 'json',
});

// proves: models.servers
test.each([
  [
    'parts',
    'vllm',
    "{\"object\":\"error\",\"message\":\"[{'type': 'string_type', 'loc': ('body', 'messages', 1, 'content'), 'msg': 'Input should be a valid string'}]\",\"code\":400}",
  ],
  [
    'parts',
    'mistral.rs',
    '{"message":"messages[0].content: invalid type: sequence, expected a string"}',
  ],
  ['json', 'LM Studio', "{\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}"],
  ['usage', 'an old server', '{"detail":[{"msg":"extra fields not permitted: stream_options"}]}'],
  [
    'forcedChoice',
    'a hosted model',
    '{"error":{"message":"No endpoints found that support the provided \'tool_choice\' value.","code":404}}',
  ],
])('what a server rejects is learned and left out: %s of %s', async (feature, _server, body) => {
  await using wire = await openModelWire((_, index) =>
    index === 0 ? { status: 400, body } : { text: ['ok'] },
  );
  const model = compatible(wire);
  expect((await answerOf(model, forced)).text).toBe('ok');
  expect((await answerOf(model, forced)).text).toBe('ok');
  expect(wire.requests).toHaveLength(3);
  for (const { body: sent } of wire.requests.slice(1)) {
    expect({
      parts: typeof Reflect.get(Object((sent['messages'] as unknown[])[1]), 'content') === 'string',
      json: !('response_format' in sent),
      usage: !('stream_options' in sent),
      forcedChoice: sent['tool_choice'] === 'auto',
    }).toMatchObject({ [feature]: true });
  }
});

// proves: models.servers
test.each([
  ['vLLM', '{"object":"error","message":"model not loaded","type":"NotFoundError","code":404}'],
  ['Ollama', '{"error":"model not loaded"}'],
  [
    'llama.cpp',
    '{"error":{"code":400,"message":"model not loaded","type":"invalid_request_error"}}',
  ],
  ['FastAPI', '{"detail":"model not loaded"}'],
  [
    'OpenRouter',
    '{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"model not loaded"}}}',
  ],
  ['a proxy', '<html>model not loaded</html>'],
])('the words of an error of %s reach the fault', async (_server, body) => {
  await using wire = await openModelWire(() => ({ status: 404, body }));
  const { code, message } = await faultOf(answerOf(compatible(wire), 'hi'));
  expect(code).toBe('MODEL_REFUSED');
  expect(message).toContain('model not loaded');
});

// proves: models.servers
test('a server that wants alternating roles gets the text of the user inside the last result', async () => {
  const body = '{"message":"After the optional system message, conversation roles must alternate"}';
  await using wire = await openModelWire((_, index) =>
    index === 0 ? { status: 500, body } : { text: ['ok'] },
  );
  const call = toCallId('tc_1');
  await answerOf(compatible(wire), {
    ...request('x'),
    messages: [
      { role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      { role: 'assistant', parts: [{ kind: 'call', call, name: 'math__add', input: {} }] },
      {
        role: 'user',
        parts: [
          { kind: 'result', call, ok: true, text: '5' },
          { kind: 'text', text: 'And now?' },
        ],
      },
    ],
  });
  const sent = wire.requests.map(({ body: { messages } }) => messages);
  expect(sent[0]).toMatchObject([{}, {}, {}, { role: 'tool' }, { role: 'user' }]);
  expect(sent[1]).toMatchObject([
    ...[{}, {}, {}],
    { role: 'tool', tool_call_id: 'tc_1', content: '5\n\nAnd now?' },
  ]);
  expect(sent[1]).toHaveLength(4);
});

test('an error in the stream that is a chunk of its own form is an error', async () => {
  const recorded = 'data: {"object":"error","message":"out of memory","code":500}\n\n';
  await using wire = await openModelWire(() => ({ recorded }));
  await expect(answerOf(compatible(wire), 'hi')).rejects.toThrow('out of memory');
});

// proves: models.servers
test('the profile of a server says how JSON and a choice are sent, and content may be one string', async () => {
  await using wire = await openModelWire(() => ({ text: ['ok'] }));
  await answerOf(compatible(wire, { server: 'lmstudio' }), forced);
  await answerOf(compatible(wire, { server: 'vllm', content: 'string' }), {
    ...forced,
    parts: [
      { kind: 'text', text: 'one' },
      { kind: 'text', text: 'two' },
    ],
  });
  const [studio, vllm] = wire.requests.map(({ body }) => body);
  expect(studio).toMatchObject({
    tool_choice: 'auto',
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
  });
  expect(vllm).toMatchObject({
    tool_choice: { function: { name: 'math__add' } },
    response_format: { type: 'json_object' },
    messages: [{}, { role: 'user', content: 'one\ntwo' }],
  });
});

// proves: models.carry
test('OpenRouter gets its reasoning details back, whole', async () => {
  const detail = (more: object) => ({ type: 'reasoning.text', index: 0, ...more });
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const recorded = [
    chunk({ reasoning: 'Let ', reasoning_details: [detail({ text: 'Let ' })] }),
    chunk({ reasoning: 'me.', reasoning_details: [detail({ text: 'me.', signature: 's' })] }),
    chunk({ content: 'Yes.' }, 'stop'),
  ].join('');
  await using wire = await openModelWire(() => ({ recorded }));
  const model = compatible(wire, { server: 'openrouter' });
  const { events, ended } = ask(model, 'hi');
  await ended;
  const item = { reasoning_details: [detail({ text: 'Let me.', signature: 's' })] };
  const carry = { kind: 'carry', provider: 'openai-compatible', item } as const;
  expect(events).toContainEqual(carry);
  await answerOf(model, {
    ...request('x'),
    messages: [
      { role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
      { role: 'assistant', parts: [carry, { kind: 'text', text: 'Yes.' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'more' }] },
    ],
  });
  expect(wire.requests[1]?.body['messages']).toContainEqual({
    role: 'assistant',
    content: 'Yes.',
    ...item,
  });
});

// proves: models.servers
test('content that a server streams as a list of parts is text and reasoning', async () => {
  const chunk = (delta: object) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
  const thinking = [{ type: 'text', text: 'Hm.' }];
  const recorded = [
    chunk({ content: [{ type: 'thinking', thinking }] }),
    chunk({ content: [{ type: 'text', text: 'Yes' }, { type: 'reference', ids: [1] }, null] }),
    chunk({ content: '.' }),
    'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  ].join('');
  await using wire = await openModelWire(() => ({ recorded }));
  const { events, ended } = ask(compatible(wire), 'hi');
  await ended;
  expect(textOf(events)).toBe('Yes.');
  expect(events).toContainEqual({ kind: 'reasoning', text: 'Hm.' });
});

// proves: models.servers
test('a usage that is not a number of tokens counts nothing', async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: -5, completion_tokens: '15', total_tokens: null } },
  ];
  const recorded = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  await using wire = await openModelWire(() => ({ recorded }));
  const { usage } = await answerOf(compatible(wire), 'hi');
  expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
});

test('reasoning in tags at the start of a reply is reasoning', async () => {
  await using wire = await openModelWire(() => ({
    text: ['<thi', 'nk>\nHm.</th', 'ink>\n\nYes.'],
  }));
  const { events, ended } = ask(compatible(wire), 'hi');
  await ended;
  expect(textOf(events)).toBe('Yes.');
  expect(events.flatMap((event) => (event.kind === 'reasoning' ? [event.text] : [])).join('')).toBe(
    '\nHm.',
  );
});

test('tags are found however the text is cut, and text without them is unchanged', () => {
  const property = fc.property(
    fc.constantFrom(
      '<think>a</think>b',
      '<think>never ends',
      'a <think>b</think>',
      '<thin',
      '<',
      '',
    ),
    fc.integer({ min: 1, max: 8 }),
    (text, chars) => {
      const tags = new ThinkTags();
      const pieces: ReplyPiece[] = [];
      for (let at = 0; at < text.length; at += chars)
        pieces.push(...tags.push(text.slice(at, at + chars)));
      pieces.push(...tags.end());
      const of = (kind: string) =>
        pieces.flatMap((piece) => ('text' in piece && piece.kind === kind ? [piece.text] : []));
      const [, reasoning = '', rest = text] = /^<think>(.*?)(?:<\/think>(.*))?$/s.exec(text) ?? [];
      expect(of('reasoning').join('')).toBe(reasoning);
      expect(of('text').join('')).toBe(text.startsWith('<think>') && rest === text ? '' : rest);
    },
  );
  fc.assert(property, runs(100));
});

test('a model that thinks and rejects a forced choice is asked again without it', async () => {
  const message = 'Thinking may not be enabled when tool_choice forces tool use.';
  await using wire = await openModelWire((_, index) =>
    index === 0
      ? { status: 400, error: { type: 'invalid_request_error', message } }
      : { text: ['ok'] },
  );
  const { anthropicUrl: baseUrl } = wire;
  const model = createAnthropicModel({ model: 'claude-wire', apiKey: 'key', baseUrl });
  expect((await answerOf(model, forced)).text).toBe('ok');
  expect(wire.requests.map(({ body }) => body['tool_choice'])).toEqual([
    { type: 'tool', name: 'math__add' },
    { type: 'auto' },
  ]);
});

test("a server with Anthropic's API that does not know how to stream arguments is asked without", async () => {
  const message = 'tools.0.custom.eager_input_streaming: Extra inputs are not permitted';
  await using wire = await openModelWire((_, index) =>
    index === 0
      ? { status: 400, error: { type: 'invalid_request_error', message } }
      : { text: ['ok'] },
  );
  const { anthropicUrl: baseUrl } = wire;
  const model = createAnthropicModel({ model: 'claude-wire', apiKey: 'key', baseUrl });
  expect((await answerOf(model, forced)).text).toBe('ok');
  expect(wire.requests.map(({ raw }) => raw.includes('eager_input_streaming'))).toEqual([
    true,
    false,
  ]);
});

test('a call that the server refuses as invalid is read as text, so that the model corrects it', async () => {
  const written = '{"name": "math__add", "arguments": {"x": 1}}';
  const error = { code: 'tool_use_failed', message: 'invalid', failed_generation: written };
  await using wire = await openModelWire(() => ({ status: 400, body: JSON.stringify({ error }) }));
  const answer = await answerOf(compatible(wire), forced);
  expect([answer.text, answer.finish]).toEqual([written, 'stop']);
  expect(wire.requests).toHaveLength(1);
});
