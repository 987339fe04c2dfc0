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
  readonly abilities?: {
    readonly tools?: boolean;
    readonly forcedChoice?: boolean;
    readonly json?: boolean;
  };
  readonly fallback?: ModelRef;
};

export type ModelChoice = ModelRef | ModelOptions;

export function refOf(choice: ModelChoice): ModelRef {
  return typeof choice === 'string' ? choice : choice.model;
}

export function optionsOf(choice: ModelChoice): ModelOptions {
  return typeof choice === 'string' ? { model: choice } : choice;
}
