import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import type { Model } from '../../engine/ports/model.ts';
import {
  isPackaged,
  modelProviders,
  modelRefForm,
  type PackagedProvider,
} from '../../sdk/define/model.ts';
import {
  type ModelSettings,
  type RequestExtras,
  withSettings,
} from './providers/model-settings.ts';

export type ParsedRef = {
  readonly provider: (typeof modelProviders)[number];
  /** The provider's name for the model, or the file of a script. */
  readonly name: string;
};

/** Where a provider is and how to sign in there. */
export type ProviderAccess = {
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
};

export type ModelAccess = {
  readonly anthropicApiKey?: string | undefined;
  readonly anthropicBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiBaseUrl?: string | undefined;
  readonly packaged?: Readonly<Partial<Record<PackagedProvider, ProviderAccess>>> | undefined;
};

/** @throws Fault MODEL_NOT_CONFIGURED for anything that is not `provider:name`. */
export function parseModelRef(ref: string): ParsedRef {
  const colon = ref.indexOf(':');
  const provider = modelProviders.find((known) => known === ref.slice(0, colon));
  const name = ref.slice(colon + 1).trim();
  if (provider && name) return { provider, name };
  throw new Fault('MODEL_NOT_CONFIGURED', {
    because: `"${ref}" must be ${modelRefForm}`,
  });
}

/**
 * Opens only files: the provider is called at the first request. Each provider's library is loaded when it is needed.
 *
 * @throws Fault MODEL_NOT_CONFIGURED, MODEL_KEY_MISSING (naming the variable), SCRIPT_INVALID.
 */
export async function openModel(
  said: string | ModelSettings,
  access: ModelAccess = {},
  { log }: { readonly log?: Log } = {},
): Promise<Model> {
  const settings = typeof said === 'string' ? { model: said } : said;
  const model = withSettings(await openPlain(settings, access), settings);
  if (settings.fallback === undefined) return model;
  const { withFallback } = await import('./providers/fallback.ts');
  const other = await openModel(settings.fallback, access, { ...(log ? { log } : {}) });
  return withFallback(model, other, { ...(log ? { log } : {}) });
}

function openPlain(settings: ModelSettings, access: ModelAccess): Promise<Model> {
  const { provider, name } = parseModelRef(settings.model);
  const retries = retriesOf(settings);
  const choice: Choice = { name, settings, access, extras: extrasOf(settings), retries };
  if (isPackaged(provider)) return openPackaged(provider, choice);
  switch (provider) {
    case 'anthropic':
      return openAnthropic(choice);
    case 'openai':
      return openOpenai(choice);
    case 'openai-compatible':
      return openCompatible(choice);
    case 'scripted':
      return openScripted(choice);
  }
}

type Choice = {
  readonly name: string;
  readonly settings: ModelSettings;
  readonly access: ModelAccess;
  readonly extras: RequestExtras;
  readonly retries: Retries;
};

/** A fallback answers sooner than a retry. */
type Retries = { readonly retriesMax?: 0 };

function retriesOf({ fallback }: ModelSettings): Retries {
  return fallback === undefined ? {} : { retriesMax: 0 };
}

function extrasOf({ headers = {}, body = {}, reasoningEffort }: ModelSettings): RequestExtras {
  return { headers, body, ...(reasoningEffort === undefined ? {} : { reasoningEffort }) };
}

async function openAnthropic({ name, access, extras, retries }: Choice): Promise<Model> {
  const apiKey = access.anthropicApiKey || missing('ANTHROPIC_API_KEY', name);
  const { createAnthropicModel } = await import('./providers/anthropic/anthropic.ts');
  const place = { ...at(access.anthropicBaseUrl), ...retries };
  return createAnthropicModel({ model: name, apiKey, extras, ...place });
}

function openOpenai(choice: Choice): Promise<Model> {
  const { name, access } = choice;
  const apiKey = access.openaiApiKey || missing('OPENAI_API_KEY', name);
  return openOpenaiApi('openai', choice, { apiKey, ...at(access.openaiBaseUrl) });
}

function openCompatible(choice: Choice): Promise<Model> {
  const { openaiApiKey: apiKey, openaiBaseUrl: baseUrl } = choice.access;
  if (!baseUrl) {
    throw new Fault('MODEL_NOT_CONFIGURED', {
      because: `openai-compatible:${choice.name} needs OPENAI_BASE_URL, the address of its server`,
    });
  }
  return openOpenaiApi('openai-compatible', choice, { baseUrl, ...(apiKey ? { apiKey } : {}) });
}

async function openOpenaiApi(
  flavour: 'openai' | 'openai-compatible',
  { name: model, settings, extras, retries }: Choice,
  place: { readonly apiKey?: string; readonly baseUrl?: string },
): Promise<Model> {
  if (settings.api === 'responses') {
    const { createResponsesModel } = await import('./providers/openai/responses.ts');
    return createResponsesModel({ model, flavour, extras, ...place, ...retries });
  }
  const { createOpenaiModel } = await import('./providers/openai/openai.ts');
  const style = styleOf(settings);
  return createOpenaiModel({ model, flavour, extras, ...style, ...place, ...retries });
}

function styleOf({ server, content }: ModelSettings) {
  return {
    ...(server === undefined ? {} : { server }),
    ...(content === undefined ? {} : { content }),
  };
}

async function openPackaged(
  provider: PackagedProvider,
  { name, access, extras, retries }: Choice,
): Promise<Model> {
  const { openAiSdkModel } = await import('./providers/ai-sdk/open-ai-sdk.ts');
  return openAiSdkModel({
    ...{ provider, model: name, extras },
    ...access.packaged?.[provider],
    ...retries,
  });
}

async function openScripted({ name, settings }: Choice): Promise<Model> {
  const { loadScript } = await import('./scripted/load-script.ts');
  const { createScriptedModel } = await import('./scripted/scripted-model.ts');
  return createScriptedModel(loadScript(name), { id: settings.model });
}

function at(baseUrl: string | undefined): { baseUrl?: string } {
  return baseUrl ? { baseUrl } : {};
}

function missing(variable: string, model: string): never {
  throw new Fault('MODEL_KEY_MISSING', { because: `set ${variable} to use ${model}` });
}
