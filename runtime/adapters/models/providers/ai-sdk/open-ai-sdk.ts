import type { LanguageModelV4 } from '@ai-sdk/provider';
import { Fault } from '../../../../base/fault.ts';
import type { Model } from '../../../../engine/ports/model.ts';
import { type PackagedProvider, packagedProviders } from '../../../../sdk/define/model.ts';
import type { RequestExtras } from '../model-settings.ts';
import { createAiSdkModel } from './ai-sdk.ts';

export type PackagedOptions = {
  readonly provider: PackagedProvider;
  readonly model: string;
  /** Undefined: the package looks for it in the environment. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

/**
 * Loads the provider's package.
 *
 * @throws Fault MODEL_NOT_CONFIGURED with the command that installs the package, MODEL_KEY_MISSING.
 */
export async function openAiSdkModel(options: PackagedOptions): Promise<Model> {
  const { provider, model, apiKey, baseUrl, ...rest } = options;
  const { package: name, abilities } = packagedProviders[provider];
  const create = creatorOf(await load(provider, name));
  if (!create) throw unusable(`${name} exports no function that creates a provider`);
  const settings = {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
  };
  const language = languageModelOf(create(settings), model);
  if (!language)
    throw unusable(`${name} has no language models that this version can use; update it`);
  return createAiSdkModel({ provider, model: language, abilities, ...rest });
}

async function load(provider: PackagedProvider, name: string): Promise<object> {
  try {
    return await import(name);
  } catch (cause) {
    const detail = {
      because: `${provider} models need the package ${name}: run npm install ${name}`,
    };
    throw new Fault('MODEL_NOT_CONFIGURED', detail, { cause });
  }
}

type Creator = (settings: object) => unknown;

/** Every package exports one function named `create…` for its provider, some also under an older name. */
function creatorOf(exported: object): Creator | undefined {
  for (const [name, value] of Object.entries(exported)) {
    if (/^create[A-Z]/.test(name) && typeof value === 'function')
      return (settings) => Reflect.apply(value, undefined, [settings]);
  }
  return undefined;
}

function languageModelOf(provider: unknown, model: string): LanguageModelV4 | undefined {
  const make: unknown = Reflect.get(Object(provider), 'languageModel');
  if (typeof make !== 'function') return undefined;
  const made: unknown = Reflect.apply(make, provider, [model]);
  return isLanguageModel(made) ? made : undefined;
}

function isLanguageModel(value: unknown): value is LanguageModelV4 {
  return Reflect.get(Object(value), 'specificationVersion') === 'v4';
}

function unusable(because: string): Fault {
  return new Fault('MODEL_NOT_CONFIGURED', { because });
}
