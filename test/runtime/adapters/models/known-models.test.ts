import { expect, test } from 'vitest';
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
