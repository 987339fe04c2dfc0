import type { Json } from '../../base/json.ts';

export const modelProviders = ['anthropic', 'openai', 'openai-compatible', 'scripted'] as const;

export type RoleName = 'decision' | 'answer' | 'summary' | 'selection' | 'small';

export type ModelRef = `${(typeof modelProviders)[number]}:${string}`;

/** US dollars per million tokens. Cache tokens cost the same as input unless stated. */
export type ModelPrices = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
};

/** What the model supports, where that is not known or not right. `timeloom doctor --model` prints this. */
export type ModelAbilityOptions = {
  /** The provider's own tool calling. */
  readonly tools?: boolean;
  /** A certain tool can be forced. */
  readonly forcedChoice?: boolean;
  /** The reply can be restricted to one JSON object. */
  readonly json?: boolean;
};

/** A model with its own settings. The runtime's defaults for the model apply to everything else. */
export type ModelOptions = {
  readonly model: ModelRef;
  /** Caps the output tokens that the runtime requests, which are 8,000 at most. */
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly reasoningEffort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Context window: input and output together. */
  readonly contextTokens?: number;
  readonly prices?: ModelPrices;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to the body of each request. */
  readonly body?: Readonly<Record<string, Json>>;
  readonly abilities?: ModelAbilityOptions;
  readonly fallback?: ModelRef;
};

export type ModelChoice = ModelRef | ModelOptions;

export function refOf(choice: ModelChoice): ModelRef {
  return typeof choice === 'string' ? choice : choice.model;
}

export function optionsOf(choice: ModelChoice): ModelOptions {
  return typeof choice === 'string' ? { model: choice } : choice;
}
