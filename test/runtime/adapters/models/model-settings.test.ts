import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openModel } from '../../../../runtime/adapters/models/open-models.ts';
import type { ModelSettings } from '../../../../runtime/adapters/models/providers/model-settings.ts';
import type { ModelRequest } from '../../../../runtime/engine/ports/model.ts';

const request: ModelRequest = {
  ...{ role: 'decision', system: 's', parts: [{ kind: 'text', text: 'hi' }] },
  ...{ maxOutputTokens: 8_000, temperature: 0.6 },
};
const { signal } = new AbortController();
const usage = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 1e6, cacheWriteTokens: 0 };

// proves: models.settings
test('settings of a model reach its provider, and its prices are those stated', async () => {
  const asked: { body?: unknown; headers?: IncomingHttpHeaders } = {};
  const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }];
  const server = createServer((incoming, answer) => {
    asked.headers = incoming.headers;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    void json(incoming).then((body) => {
      asked.body = body;
      answer.end(`data: ${JSON.stringify({ model: 'qwen', choices })}\n\ndata: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const model = await openModel(
      {
        ...{ model: 'openai-compatible:qwen', maxOutputTokens: 500, temperature: 0.2 },
        ...{ reasoningEffort: 'low', contextTokens: 32_000, headers: { 'x-team': 'ops' } },
        ...{ body: { top_k: 5 }, prices: { input: 2, output: 3, cacheRead: 0.5 } },
      },
      { openaiBaseUrl: `http://127.0.0.1:${port}` },
    );
    expect([model.contextTokens, model.maxOutputTokens]).toEqual([32_000, 500]);
    expect(model.costUsd(usage)).toBe(5.5);
    for await (const _ of model.stream(request, { signal }));
    expect(asked.body).toMatchObject({
      ...{ model: 'qwen', max_tokens: 500, temperature: 0.2, reasoning_effort: 'low', top_k: 5 },
    });
    expect(asked.headers?.['x-team']).toBe('ops');
  } finally {
    server.close();
  }
});

// proves: prompt.form-choice
test('the settings of a model state the form of its prompts', async () => {
  const access = { anthropicApiKey: 'key' };
  const model = 'anthropic:claude-opus-5-5';
  expect((await openModel({ model, promptForm: 'messages' }, access)).promptForm).toBe('messages');
  expect((await openModel({ model }, access)).promptForm).toBeUndefined();
});

// proves: protocol.choice
test('the settings of a model state how it writes replies', async () => {
  const access = { anthropicApiKey: 'key' };
  const model = 'anthropic:claude-opus-5-5';
  expect((await openModel({ model, protocol: 'json' }, access)).protocol).toBe('json');
  expect((await openModel({ model }, access)).protocol).toBeUndefined();
});

// proves: models.abilities
test('abilities that the settings state replace those that are known', async () => {
  const access = { anthropicApiKey: 'key', openaiBaseUrl: 'http://127.0.0.1:1' };
  const abilitiesOf = async (model: string, abilities?: ModelSettings['abilities']) => {
    const stated = abilities === undefined ? {} : { abilities };
    return (await openModel({ model, ...stated }, access)).abilities;
  };
  const known = { tools: true, forcedChoice: true, json: false };
  expect(await abilitiesOf('anthropic:claude-opus-5-5')).toEqual(known);
  expect(await abilitiesOf('anthropic:claude-opus-5-5', { forcedChoice: false })).toEqual({
    ...known,
    forcedChoice: false,
  });
  expect(await abilitiesOf('openai-compatible:qwen')).toBeUndefined();
  expect(await abilitiesOf('openai-compatible:qwen', { json: true })).toEqual({
    ...{ tools: false, forcedChoice: false, json: true },
  });
});
