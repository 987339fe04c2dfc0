import { expect, test } from 'vitest';
import { modelsOf, settingsOf, unpricedIn } from '../../../../runtime/cli/models/model-choice.ts';
import type { ModelChoice } from '../../../../runtime/sdk/define/model.ts';
import { agentWith } from '../../engine/kit/harness.ts';
import { config, inFolder, problems } from '../config/config-kit.ts';

inFolder();

const qwen = 'openai-compatible:qwen3-8b';
const priced = `models: { decision: { model: "${qwen}", prices: { input: 0.5, output: 1.5 } } }`;

function wrong(assembly: string, models: { decision?: ModelChoice } = {}, costUsd?: number) {
  const budgets = { rounds: 5, wallMs: 1_000, actionsPerRound: 1, ...(costUsd && { costUsd }) };
  const agent = agentWith({ models, budgets });
  return unpricedIn(config(assembly === '' ? {} : { 'assembly.yaml': assembly }), agent);
}

// proves: models.priced
test('a budget in US dollars with a model without a known price is rejected', () => {
  const says =
    /^agent “main”: the price of openai-compatible:qwen3-8b is unknown.*assembly\.yaml as in models: .*prices/;
  expect(wrong(`models: { decision: "${qwen}" }`, {}, 1)).toEqual([expect.stringMatching(says)]);
  expect(wrong('', { decision: qwen }, 1)).toEqual([expect.stringMatching(says)]);
  expect(wrong('', { decision: 'openai:gpt-5.4-mini' }, 1)).toHaveLength(1);
});

// proves: models.priced
test('no budget, a list price or a configured price are all valid', () => {
  expect(wrong('', { decision: qwen })).toEqual([]);
  expect(wrong('', { decision: 'openai:gpt-5' }, 1)).toEqual([]);
  expect(wrong('', { decision: 'scripted:a.yaml' }, 1)).toEqual([]);
  expect(wrong('', { decision: { model: qwen, prices: { input: 0, output: 0 } } }, 1)).toEqual([]);
  // The operator's settings of a model apply where a bundle names it.
  expect(wrong(priced, { decision: qwen }, 1)).toEqual([]);
  expect(wrong(priced, { decision: { model: qwen, maxOutputTokens: 500 } }, 1)).toEqual([]);
});

// proves: models.choices
test('the models that users may choose need a price too, and the settings of each apply', () => {
  const budgets = { rounds: 5, wallMs: 1_000, actionsPerRound: 1, costUsd: 1 };
  const models = { decision: 'openai:gpt-5' } as const;
  const agent = agentWith({ models, budgets, modelChoices: [qwen] });
  expect(unpricedIn(config({}), agent).join()).toMatch(/^agent “main”: the price of .*qwen3-8b/);
  expect(unpricedIn(config({ 'assembly.yaml': priced }), agent)).toEqual([]);
  const prices = { input: 1, output: 2 };
  const own = agentWith({ models, budgets, modelChoices: [{ model: qwen, prices }] });
  expect(unpricedIn(config({}), own)).toEqual([]);
  expect(modelsOf(config({}), own)).toContainEqual({ model: qwen, prices });
});

// proves: models.settings
test('the object form is accepted in both spellings, and options without effect are rejected with their location', () => {
  const model = (more: string) => ({
    'assembly.yaml': `models:\n  decision: { model: "${qwen}", ${more} }\n`,
  });
  expect(
    config(model('max_output_tokens: 500, prices: { input: 1, output: 2, cache_read: 0.1 }'))
      .models,
  ).toEqual({
    decision: {
      ...{ model: qwen, maxOutputTokens: 500 },
      prices: { input: 1, output: 2, cacheRead: 0.1 },
    },
  });
  const at = 'assembly.yaml:2: models.decision';
  expect(problems(model(`fallback: "${qwen}"`))).toEqual([`${at}: fallback must be another model`]);
  expect(problems(model('body: { model: "x" }'))).toEqual([
    `${at}: body cannot set “model”, because the runtime sets it`,
  ]);
  expect(problems(model('max_output_tokens: 9000'))).toEqual([
    `${at}: maxOutputTokens must be at most 8000`,
  ]);
  expect(problems({ 'assembly.yaml': 'models:\n  selection: "openai:gpt-5"\n' })).toEqual([]);
  const claude = 'models:\n  decision: { model: "anthropic:claude-haiku-4-5", temperature: 0.2 }\n';
  expect(problems({ 'assembly.yaml': claude })[0]).toMatch(
    /temperature is not available for anthropic/,
  );
});

// proves: models.fallback
test('a fallback has the settings that the installation states for it, and needs a price too', () => {
  const stated = config({
    'assembly.yaml': `models:
  decision: { model: "${qwen}", prices: { input: 1, output: 1 }, fallback: "google:gemini-3-flash" }
  small: { model: "google:gemini-3-flash", temperature: 0.1, fallback: "${qwen}" }
`,
  });
  const agent = agentWith({ models: {} });
  expect(settingsOf(stated, agent, 'decision')).toEqual({
    ...{ model: qwen, prices: { input: 1, output: 1 } },
    fallback: { model: 'google:gemini-3-flash', temperature: 0.1 },
  });
  const budgets = { rounds: 5, wallMs: 1_000, actionsPerRound: 1, costUsd: 1 };
  expect(unpricedIn(stated, agentWith({ models: {}, budgets }))).toEqual([
    expect.stringContaining('the price of google:gemini-3-flash is unknown'),
  ]);
});

// proves: models.packages
test('keys and addresses of other providers come from secrets.yaml and the environment', () => {
  const { packaged } = config(
    { 'secrets.yaml': 'MISTRAL_API_KEY: from-file\n' },
    { GOOGLE_GENERATIVE_AI_API_KEY: 'from-env', GOOGLE_BASE_URL: 'http://127.0.0.1:9/v1beta' },
  );
  expect(packaged.mistral).toEqual({ apiKey: 'from-file', baseUrl: undefined });
  expect(packaged.google).toEqual({ apiKey: 'from-env', baseUrl: 'http://127.0.0.1:9/v1beta' });
});
