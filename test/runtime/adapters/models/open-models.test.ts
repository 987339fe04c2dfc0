import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openModel, parseModelRef } from '../../../../runtime/adapters/models/open-models.ts';
import { openModelWire } from '../../../tools/services/model-wire.ts';
import { answerOf } from './ask.ts';

test('a reference is a provider and everything after the first colon', () => {
  expect(parseModelRef('openai-compatible:llama3:8b')).toEqual({
    provider: 'openai-compatible',
    name: 'llama3:8b',
  });
});

test.each(['', 'claude-opus-5', 'gemini:pro', 'anthropic:', ':x'])('%j is not a model', (ref) => {
  expect(() => parseModelRef(ref)).toThrow(/MODEL_NOT_CONFIGURED.*must be provider:name/);
});

test.each([
  ['anthropic:claude-opus-5', 'MODEL_KEY_MISSING', 'set ANTHROPIC_API_KEY'],
  ['openai:gpt-5', 'MODEL_KEY_MISSING', 'set OPENAI_API_KEY'],
  ['openai-compatible:llama', 'MODEL_NOT_CONFIGURED', 'needs OPENAI_BASE_URL'],
])('%s without its settings is %s and names what to set', async (ref, code, text) => {
  const access = { anthropicApiKey: '', openaiApiKey: undefined };
  await expect(openModel(ref, access)).rejects.toMatchObject({ code });
  await expect(openModel(ref, access)).rejects.toThrow(text);
});

// proves: models.base-urls
test('each provider is reached at the address given', async () => {
  await using wire = await openModelWire(({ provider }) => ({ text: [provider] }));
  const access = {
    anthropicApiKey: 'a',
    anthropicBaseUrl: wire.anthropicUrl,
    openaiApiKey: 'o',
    openaiBaseUrl: wire.openaiUrl,
  };
  for (const [ref, said] of [
    ['anthropic:claude-opus-5-5', 'anthropic'],
    ['openai:gpt-5', 'openai'],
    ['openai-compatible:llama', 'openai'],
  ] as const) {
    const model = await openModel(ref, access);
    expect(model.id).toBe(ref);
    expect((await answerOf(model, 'hi')).text).toBe(said);
  }
});

test('windows and prices are those of the list; dated names count, unknown ones are free and careful', async () => {
  const access = { anthropicApiKey: 'a', openaiApiKey: 'o' };
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cacheReadTokens: 1_000_000,
    cacheWriteTokens: 0,
  };
  const dated = await openModel('anthropic:claude-haiku-4-5-20251001', access);
  expect(dated.contextTokens).toBe(200_000);
  expect(dated.costUsd(usage)).toBeCloseTo(1 + 0.5 + 0.1);
  const mini = await openModel('openai:gpt-5-mini-2025-08-07', access);
  expect(mini.costUsd(usage)).toBeCloseTo(0.25 + 0.2 + 0.025);
  const unknown = await openModel('openai:gpt-99', access);
  expect([unknown.contextTokens, unknown.costUsd(usage)]).toEqual([128_000, 0]);
});

// proves: models.packages
test('a provider whose package is not installed is refused with the command that installs it', async () => {
  await expect(openModel('groq:llama-3.3-70b')).rejects.toMatchObject({
    code: 'MODEL_NOT_CONFIGURED',
    detail: {
      because: 'groq models need the package @ai-sdk/groq: run npm install @ai-sdk/groq',
    },
  });
});

// proves: models.packages
test('providers with a package are reached at their address with their key', async () => {
  await using wire = await openModelWire(({ provider }) => ({ text: [provider] }));
  const packaged = {
    google: { apiKey: 'g', baseUrl: wire.googleUrl },
    mistral: { apiKey: 'm', baseUrl: wire.mistralUrl },
  };
  const google = await openModel('google:gemini-3-flash', { packaged });
  expect([google.id, google.contextTokens]).toEqual(['google:gemini-3-flash', 1_000_000]);
  expect((await answerOf(google, 'hi')).text).toBe('google');
  expect(wire.requests[0]?.headers['x-goog-api-key']).toBe('g');
  const mistral = await openModel(
    { model: 'mistral:mistral-small', temperature: 0.2, body: { safePrompt: true } },
    { packaged },
  );
  expect((await answerOf(mistral, 'hi')).text).toBe('mistral');
  expect(wire.requests[1]?.headers.authorization).toBe('Bearer m');
  expect(wire.requests[1]?.body).toMatchObject({ temperature: 0.2, safe_prompt: true });
});

// proves: models.packages
test('a key that neither the settings nor the environment have is missing', async () => {
  await using wire = await openModelWire(() => ({ text: ['never'] }));
  const packaged = { mistral: { baseUrl: wire.mistralUrl } };
  const model = await openModel('mistral:mistral-small', { packaged });
  await expect(answerOf(model, 'hi')).rejects.toMatchObject({ code: 'MODEL_KEY_MISSING' });
  await expect(answerOf(model, 'hi')).rejects.toThrow('MISTRAL_API_KEY');
});

test('openai is asked through the API that the settings name', async () => {
  await using wire = await openModelWire(({ provider }) => ({ text: [provider] }));
  const access = { openaiApiKey: 'o', openaiBaseUrl: wire.openaiUrl };
  const api = { model: 'openai:gpt-5', api: 'responses', reasoningEffort: 'low' } as const;
  expect((await answerOf(await openModel(api, access), 'hi')).text).toBe('responses');
  expect(wire.requests[0]?.body['reasoning']).toEqual({ effort: 'low', summary: 'auto' });
});

test('a script is a model', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'models-'));
  try {
    const file = join(folder, 'a.yaml');
    writeFileSync(file, '- answer: Hello.\n');
    const model = await openModel(`scripted:${file}`);
    expect((await answerOf(model, 'hi')).text).toContain('"final_answer":"Hello."');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
