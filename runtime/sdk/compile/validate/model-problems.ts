import { maxOutputTokensMax } from '../../contract/limits.ts';
import {
  isPackaged,
  type ModelChoice,
  type ModelOptions,
  modelProviders,
} from '../../define/model.ts';

type Rule = {
  /** Providers that support the option. */
  readonly by: readonly Provider[];
  readonly instead: string;
};

type Provider = (typeof modelProviders)[number];

const openaiApis: readonly Provider[] = ['openai', 'openai-compatible'];
const packaged = modelProviders.filter(isPackaged);
const called: readonly Provider[] = ['anthropic', ...openaiApis, ...packaged];

/** Options that not every provider supports. */
const rules: Partial<Record<keyof ModelOptions, Rule>> = {
  api: { by: openaiApis, instead: 'remove it' },
  server: { by: ['openai-compatible'], instead: 'remove it' },
  content: { by: ['openai-compatible'], instead: 'remove it' },
  temperature: {
    by: ['openai-compatible', 'scripted', ...packaged],
    instead: 'the models of this provider choose it themselves; remove it',
  },
  reasoningEffort: { by: called, instead: 'remove it' },
  headers: { by: called, instead: 'remove it' },
  body: { by: called, instead: 'remove it' },
};

/** Keys that the runtime itself sets. */
const ownBodyKeys = [
  ...['model', 'messages', 'system', 'stream', 'stream_options', 'temperature', 'input'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'instructions', 'store'],
  ...['tools', 'tool_choice', 'response_format'],
];

/** Model options without a useful effect, one sentence each. They stop the load. */
export function modelProblems(choice: ModelChoice): readonly string[] {
  if (typeof choice === 'string') return [];
  const { model, maxOutputTokens = 1, temperature = 0, body = {}, prices } = choice;
  const provider = model.slice(0, model.indexOf(':'));
  const unsupported = Object.entries(rules).flatMap(([key, { by, instead }]) =>
    Object.hasOwn(choice, key) && !by.some((each) => each === provider)
      ? [`${key} is not available for ${model}: ${instead}`]
      : [],
  );
  const { fallback } = choice;
  const own = Object.keys(body).filter((key) => ownBodyKeys.includes(key));
  const amounts = Object.values({ ...prices });
  return [
    ...unsupported,
    ...(fallback === model ? ['fallback must be another model'] : []),
    ...own.map((key) => `body cannot set “${key}”, because the runtime sets it`),
    ...(maxOutputTokens > maxOutputTokensMax
      ? [`maxOutputTokens must be at most ${maxOutputTokensMax}`]
      : []),
    ...(temperature < 0 || temperature > 2 ? ['temperature must be between 0 and 2'] : []),
    ...(amounts.some((amount) => !(amount >= 0)) ? ['prices must be 0 or more'] : []),
  ];
}
