import { expect, test } from 'vitest';
import { openModel } from '../../../../runtime/adapters/models/open-models.ts';
import {
  knownModel,
  modelAbilities,
} from '../../../../runtime/adapters/models/providers/known-models.ts';

const usual = { tools: true, forcedChoice: true, json: false };

// proves: models.known-abilities
test.each([
  ['anthropic.claude-opus-5-v1:0', {}],
  ['amazon.titan-text-premier-v1:0', { tools: false, forcedChoice: false }],
  ['us.meta.llama3-3-70b-instruct-v1:0', { forcedChoice: false }],
  ['meta.llama2-70b-chat-v1', { tools: false, forcedChoice: false }],
  ['us-gov.deepseek.r1-v1:0', { tools: false, forcedChoice: false }],
])('%s on Bedrock differs from the others by %j', (name, differs) => {
  const { contextTokens, ...known } = knownModel('bedrock', name);
  expect(modelAbilities(known, usual)).toEqual({ ...usual, ...differs });
  expect(contextTokens).toBe(128_000);
});

// proves: models.known-abilities
test.each([
  ['openai:gpt-5', { tools: true, forcedChoice: true, json: true }],
  ['openai:gpt-5-chat-latest', { tools: false, forcedChoice: false, json: true }],
  ['openai:o1-mini-2024-09-12', { tools: false, forcedChoice: false, json: false }],
])('%s supports %j', async (name, abilities) => {
  for (const api of ['chat', 'responses'] as const) {
    const model = await openModel({ model: name, api }, { openaiApiKey: 'key' });
    expect(model.abilities).toEqual(abilities);
  }
});
