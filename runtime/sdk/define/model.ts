import type { Json } from '../../base/json.ts';

/** Providers whose library comes with the runtime, and the player of scripts. */
export const ownProviders = ['anthropic', 'openai', 'openai-compatible', 'scripted'] as const;

const all = { tools: true, forcedChoice: true, json: true };

/** The APIs of OpenAI: chat completions, which compatible servers share, or Responses, which keeps the model's reasoning. */
export type OpenaiApi = 'chat' | 'responses';

/** Servers with OpenAI's API that differ from it in a known way. */
export const modelServers = [
  ...(['vllm', 'ollama', 'llama.cpp', 'mistral.rs', 'lmstudio', 'openrouter'] as const),
] as const;
export type ModelServer = (typeof modelServers)[number];

/** Providers that are reached through an optional package of the AI SDK, with what their models support. */
export const packagedProviders = {
  azure: { package: '@ai-sdk/azure', key: 'AZURE_API_KEY', abilities: all },
  bedrock: {
    package: '@ai-sdk/amazon-bedrock',
    key: 'AWS_BEARER_TOKEN_BEDROCK',
    abilities: { ...all, json: false },
  },
  cerebras: { package: '@ai-sdk/cerebras', key: 'CEREBRAS_API_KEY', abilities: all },
  cohere: { package: '@ai-sdk/cohere', key: 'COHERE_API_KEY', abilities: all },
  deepseek: {
    package: '@ai-sdk/deepseek',
    key: 'DEEPSEEK_API_KEY',
    abilities: { ...all, forcedChoice: false },
  },
  fireworks: { package: '@ai-sdk/fireworks', key: 'FIREWORKS_API_KEY', abilities: all },
  google: { package: '@ai-sdk/google', key: 'GOOGLE_GENERATIVE_AI_API_KEY', abilities: all },
  groq: { package: '@ai-sdk/groq', key: 'GROQ_API_KEY', abilities: all },
  mistral: { package: '@ai-sdk/mistral', key: 'MISTRAL_API_KEY', abilities: all },
  togetherai: { package: '@ai-sdk/togetherai', key: 'TOGETHER_API_KEY', abilities: all },
  vertex: { package: '@ai-sdk/google-vertex', key: 'GOOGLE_VERTEX_API_KEY', abilities: all },
  xai: { package: '@ai-sdk/xai', key: 'XAI_API_KEY', abilities: all },
} as const;

export type PackagedProvider = keyof typeof packagedProviders;

export function isPackaged(provider: string): provider is PackagedProvider {
  return Object.hasOwn(packagedProviders, provider);
}

export const modelProviders = [
  ...ownProviders,
  ...(Object.keys(packagedProviders) as readonly PackagedProvider[]),
] as const;

/** For messages to people. */
export const modelRefForm = `provider:name, with one of the providers ${modelProviders.join(', ')}`;

export type RoleName = 'decision' | 'answer' | 'summary' | 'selection' | 'small' | 'reasoning';

export type ModelRef = `${(typeof ownProviders)[number] | PackagedProvider}:${string}`;

export function isModelRef(text: string): text is ModelRef {
  const [provider = '', name = ''] = text.split(':');
  return modelProviders.some((known) => known === provider) && name.trim() !== '';
}

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
  /** For `openai` and `openai-compatible`. Default: `chat`. */
  readonly api?: OpenaiApi;
  /** For `openai-compatible`: what the server is, if its address does not show it. */
  readonly server?: ModelServer;
  /** For `openai-compatible`: `string` sends texts as one string. Default: `parts`, and `string` where that is rejected. */
  readonly content?: 'parts' | 'string';
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
  /** How this model writes replies best, for agents that leave it open. Default: by its abilities. */
  readonly protocol?: 'channels' | 'native-tools' | 'json' | 'plain';
  /** The form of prompts that this model reads best, for agents that leave it open. Default: `text`. */
  readonly promptForm?: 'text' | 'messages';
  /** The model that answers if this one is overloaded or cannot be reached. */
  readonly fallback?: ModelRef;
};

export type ModelChoice = ModelRef | ModelOptions;

export function refOf(choice: ModelChoice): ModelRef {
  return typeof choice === 'string' ? choice : choice.model;
}

export function optionsOf(choice: ModelChoice): ModelOptions {
  return typeof choice === 'string' ? { model: choice } : choice;
}
