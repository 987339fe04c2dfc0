import type { ModelAbilities, ModelUsage } from '../../../engine/ports/model.ts';

/** US dollars per million tokens, for prompts below the surcharge for long ones. */
export type Price = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

export type KnownModel = {
  readonly contextTokens: number;
  readonly price?: Price;
  /** Where the model differs from the others of its provider. */
  readonly abilities?: Partial<ModelAbilities>;
};

const million = 1_000_000;
/** Price of writing a token into a one-hour cache entry, in input tokens. */
const longWriteFactor = 2;

/** The provider's price list of November 2026. A name also covers its dated versions; the longest match wins. */
const anthropic: Readonly<Record<string, KnownModel>> = {
  'claude-fable-5-1': priced(million, [10, 50, 0.25, 12.5]),
  'claude-fable-5': priced(million, [10, 50, 1, 12.5]),
  'claude-mythos-5-1': priced(million, [10, 50, 0.25, 12.5]),
  'claude-mythos-5': priced(million, [10, 50, 1, 12.5]),
  'claude-opus-5-5': priced(million, [4, 20, 0.2, 5]),
  'claude-opus-5': priced(million, [5, 25, 0.5, 6.25]),
  'claude-opus-4-8': priced(million, [5, 25, 0.5, 6.25]),
  'claude-opus-4-7': priced(million, [5, 25, 0.5, 6.25]),
  'claude-opus-4-6': priced(million, [5, 25, 0.5, 6.25]),
  'claude-opus-4-5': priced(200_000, [5, 25, 0.5, 6.25]),
  'claude-sonnet-5-5': priced(million, [2, 10, 0.1, 2.5]),
  'claude-sonnet-5': priced(million, [2, 10, 0.2, 2.5]),
  'claude-sonnet-4-6': priced(million, [3, 15, 0.3, 3.75]),
  'claude-sonnet-4-5': priced(200_000, [3, 15, 0.3, 3.75]),
  'claude-haiku-5-5': priced(million, [0.1, 0.5, 0.01, 0.125]),
  'claude-haiku-4-5': priced(200_000, [1, 5, 0.1, 1.25]),
};

const unlistedTokens = 128_000;
const without = (abilities: Partial<ModelAbilities>): KnownModel => ({
  ...{ contextTokens: unlistedTokens, abilities },
});

const openai: Readonly<Record<string, KnownModel>> = {
  'gpt-6-sol': priced(1_050_000, [2, 10, 0.2, 2.5]),
  'gpt-6-luna': priced(400_000, [0.1, 0.5, 0.01, 0.125]),
  'gpt-5.6-sol': { contextTokens: 1_050_000 },
  'gpt-5.6-terra': priced(million, [2, 12, 0.2, 2.5]),
  'gpt-5.6-luna': priced(400_000, [0.2, 1.2, 0.02, 0.25]),
  'gpt-5.4': priced(1_050_000, [2.5, 15, 0.25, 2.5]),
  'gpt-5.4-mini': { contextTokens: 400_000 },
  'gpt-5.4-nano': { contextTokens: 400_000 },
  'gpt-5.2': priced(400_000, [1.75, 14, 0.175, 1.75]),
  'gpt-5.2-pro': { contextTokens: 400_000 },
  'gpt-5.1': priced(400_000, [1.25, 10, 0.125, 1.25]),
  'gpt-5': priced(400_000, [1.25, 10, 0.125, 1.25]),
  'gpt-5-mini': priced(400_000, [0.25, 2, 0.025, 0.25]),
  'gpt-5-nano': priced(400_000, [0.05, 0.4, 0.005, 0.05]),
  'gpt-4.1': priced(1_047_576, [2, 8, 0.5, 2]),
  'gpt-4.1-mini': priced(1_047_576, [0.4, 1.6, 0.1, 0.4]),
  'gpt-4o': priced(128_000, [2.5, 10, 1.25, 2.5]),
  'gpt-4o-mini': priced(128_000, [0.15, 0.6, 0.075, 0.15]),
  // By the provider's pages of these models.
  'gpt-5-chat': without({ tools: false, forcedChoice: false }),
  'o1-mini': without({ tools: false, forcedChoice: false, json: false }),
  'o1-preview': without({ tools: false, forcedChoice: false, json: false }),
};

/** Families by the provider's table of what its models support; the region in front of a name does not count. */
const bedrock: Readonly<Record<string, KnownModel>> = {
  'amazon.titan': without({ tools: false, forcedChoice: false }),
  'meta.llama2': without({ tools: false, forcedChoice: false }),
  'meta.llama3': without({ forcedChoice: false }),
  'mistral.mistral-7b': without({ tools: false, forcedChoice: false }),
  'mistral.mixtral': without({ tools: false, forcedChoice: false }),
  'deepseek.r1': without({ tools: false, forcedChoice: false }),
};

const google: Readonly<Record<string, KnownModel>> = { gemini: { contextTokens: million } };

type Provider = {
  readonly models: Readonly<Record<string, KnownModel>>;
  readonly unknown: KnownModel;
};

const unlisted: Provider = { models: {}, unknown: { contextTokens: unlistedTokens } };

/** A compatible server may give its model any name, so no list applies to it. */
const providers: ReadonlyMap<string, Provider> = new Map([
  ['anthropic', { models: anthropic, unknown: { contextTokens: 200_000 } }],
  ['openai', { ...unlisted, models: openai }],
  ['google', { ...unlisted, models: google }],
  ['vertex', { ...unlisted, models: google }],
  ['bedrock', { ...unlisted, models: bedrock }],
]);

/** An unlisted model gets a conservative window and no price. */
export function knownModel(provider: string, name: string): KnownModel {
  const { models, unknown } = providers.get(provider) ?? unlisted;
  const bare = provider === 'bedrock' ? name.replace(/^[a-z-]+\.(?=\w+\.)/, '') : name;
  const [best] = Object.entries(models)
    .filter(([known]) => bare === known || bare.startsWith(`${known}-`))
    .toSorted(([a], [b]) => b.length - a.length);
  return best?.[1] ?? unknown;
}

/** What a model supports: as its provider in general, unless the model is known to differ. */
export function modelAbilities(
  { abilities }: Pick<KnownModel, 'abilities'>,
  usual: ModelAbilities,
): ModelAbilities {
  return { ...usual, ...abilities };
}

/** Cost in US dollars; 0 if the price is unknown. */
export function costOf({ price }: Pick<KnownModel, 'price'>, usage: ModelUsage): number {
  if (!price) return 0;
  const { cacheLongWriteTokens: long = 0 } = usage;
  const dollars =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheReadTokens * price.cacheRead +
    (usage.cacheWriteTokens - long) * price.cacheWrite +
    long * price.input * longWriteFactor;
  return dollars / million;
}

type Rates = readonly [input: number, output: number, cacheRead: number, cacheWrite: number];

function priced(contextTokens: number, [input, output, cacheRead, cacheWrite]: Rates): KnownModel {
  return { contextTokens, price: { input, output, cacheRead, cacheWrite } };
}
