import { expect, test } from 'vitest';
import { openAiSdkModel } from '../../../../runtime/adapters/models/providers/ai-sdk/open-ai-sdk.ts';
import { createAnthropicModel } from '../../../../runtime/adapters/models/providers/anthropic/anthropic.ts';
import { createOpenaiModel } from '../../../../runtime/adapters/models/providers/openai/openai.ts';
import { createResponsesModel } from '../../../../runtime/adapters/models/providers/openai/responses.ts';
import type { Model } from '../../../../runtime/engine/ports/model.ts';
import { type ModelWire, openModelWire } from '../../../tools/services/model-wire.ts';
import type { WireCall, WireStream } from '../../../tools/services/wires/wire-reply.ts';
import { ask, callsOf, request, textOf } from './ask.ts';

const key = { apiKey: 'key', retriesMax: 0 };
const openers: Readonly<Record<string, (wire: ModelWire) => Model | Promise<Model>>> = {
  anthropic: ({ anthropicUrl: baseUrl }) =>
    createAnthropicModel({ model: 'claude-opus-5-5', ...key, baseUrl }),
  'chat completions': ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'gpt-5', flavour: 'openai', ...key, baseUrl }),
  'a compatible server': ({ openaiUrl: baseUrl }) =>
    createOpenaiModel({ model: 'qwen3', flavour: 'openai-compatible', ...key, baseUrl }),
  responses: ({ openaiUrl: baseUrl }) =>
    createResponsesModel({ model: 'gpt-5', flavour: 'openai', ...key, baseUrl }),
  google: ({ googleUrl: baseUrl }) =>
    openAiSdkModel({ provider: 'google', model: 'gemini-3-flash', ...key, baseUrl }),
  mistral: ({ mistralUrl: baseUrl }) =>
    openAiSdkModel({ provider: 'mistral', model: 'mistral-small', ...key, baseUrl }),
};

const texts = [
  'Yes.',
  'Two lines,\r\n\r\nand “quotes”: 東京 🗼, é.',
  '{"looks": "like JSON", "n": [1, {}]}',
  'A <b>tag</b>, a `<channel:canvas name="a.md">` and data: [DONE]',
  `\\ "escaped" \t${'long '.repeat(80)}`,
  ' ',
];
const inputs = [
  {},
  { a: 1, b: -0.5 },
  { code: 'print("{}")\n# } ]\nfor x in [1]:\n\tprint(x)\n', contract: [{ filepath: 'a/b.csv' }] },
  { 'a key with "quotes"': null, nested: { list: [[], [{}], 'ü\u2028'] } },
  { path: 'outputs/a.md', content: 'row\n'.repeat(40) },
];
const names = ['math__add', 'exec_tools__execute_code_python', 'react__write', 'x__y_z-1'];

/** The nth of fifty replies: every text, every input, no calls or up to eight, in pieces and packets of every size. */
function replyOf(n: number): WireStream {
  const calls = Array.from({ length: n % 9 }, (_, index): WireCall => {
    const place = n * 3 + index * 7;
    return {
      name: names[place % names.length] ?? '',
      input: inputs[place % inputs.length] ?? {},
      id: `call_${n}_${index}`,
      chars: [1, 4, 17, 5_000][place % 4] ?? 7,
    };
  });
  const words = texts[n % texts.length] ?? '';
  const half = Math.ceil(words.length / 2);
  return {
    text: calls.length > 0 && n % 4 === 1 ? [] : [words.slice(0, half), words.slice(half)],
    ...(n % 3 === 0 ? { reasoning: 'First I look, then I add.' } : {}),
    calls,
    finish: calls.length === 0 && n % 5 === 0 ? 'length' : 'stop',
    packetBytes: [13, 101, 4_096, Infinity][n % 4] ?? Infinity,
  };
}

const replies = Array.from({ length: 50 }, (_, n) => replyOf(n));

// proves: models.recorded-streams
test.each(Object.keys(openers))('fifty replies of %s are read word for word', async (name) => {
  await using wire = await openModelWire((_, index) => replies[index] ?? 'cut');
  const model = await openers[name]?.(wire);
  if (!model) throw new Error(name);
  const tools = names.map((tool) => ({
    name: tool,
    description: tool,
    schema: { type: 'object' },
  }));
  for (const { text, calls = [], finish } of replies) {
    const { events, ended } = ask(model, request('Go', { offer: { tools, choice: 'auto' } }));
    await ended;
    expect(textOf(events)).toBe([...(text as string[])].join(''));
    expect(callsOf(events)).toEqual(calls.map((call) => [call.name, call.input]));
    expect(events.at(-1)).toMatchObject({ kind: 'done', finish });
  }
});
