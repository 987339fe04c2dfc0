import { maxOutputTokensMax } from '../../contract/limits.ts';
import type { ModelChoice, ModelOptions } from '../../define/model.ts';

type Provider = 'anthropic' | 'openai' | 'openai-compatible' | 'scripted';
type Rule = {
  /** Providers that support the option. */
  readonly by: readonly Provider[];
  readonly instead: string;
};

/** Options that not every provider supports. */
const rules: Partial<Record<keyof ModelOptions, Rule>> = {
  temperature: {
    by: ['openai-compatible', 'scripted'],
    instead: 'the models of this provider choose it themselves; remove it',
  },
  reasoningEffort: { by: ['openai', 'openai-compatible'], instead: 'remove it' },
  headers: { by: ['anthropic', 'openai', 'openai-compatible'], instead: 'remove it' },
  body: { by: ['anthropic', 'openai', 'openai-compatible'], instead: 'remove it' },
  fallback: { by: [], instead: 'remove it; a request is retried with the same model' },
};

/** Keys that the runtime itself sets. */
const ownBodyKeys = [
  ...['model', 'messages', 'system', 'stream', 'stream_options', 'temperature'],
  ...['max_tokens', 'max_completion_tokens', 'tools', 'tool_choice', 'response_format'],
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
  const own = Object.keys(body).filter((key) => ownBodyKeys.includes(key));
  const amounts = Object.values({ ...prices });
  return [
    ...unsupported,
    ...own.map((key) => `body cannot set “${key}”, because the runtime sets it`),
    ...(maxOutputTokens > maxOutputTokensMax
      ? [`maxOutputTokens must be at most ${maxOutputTokensMax}`]
      : []),
    ...(temperature < 0 || temperature > 2 ? ['temperature must be between 0 and 2'] : []),
    ...(amounts.some((amount) => !(amount >= 0)) ? ['prices must be 0 or more'] : []),
  ];
}
