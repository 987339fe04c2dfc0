import { Fault } from '../../base/fault.ts';
import type { Model } from '../../engine/ports/model.ts';
import { modelProviders } from '../../sdk/define/model.ts';
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

export type ModelAccess = {
  readonly anthropicApiKey?: string | undefined;
  readonly anthropicBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiBaseUrl?: string | undefined;
};

/** @throws Fault MODEL_NOT_CONFIGURED for anything that is not `provider:name`. */
export function parseModelRef(ref: string): ParsedRef {
  const colon = ref.indexOf(':');
  const provider = modelProviders.find((known) => known === ref.slice(0, colon));
  const name = ref.slice(colon + 1).trim();
  if (provider && name) return { provider, name };
  throw new Fault('MODEL_NOT_CONFIGURED', {
    because: `"${ref}" is not one of ${modelProviders.map((known) => `${known}:<name>`).join(', ')}`,
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
): Promise<Model> {
  const settings = typeof said === 'string' ? { model: said } : said;
  return withSettings(await openPlain(settings, access), settings);
}

function openPlain(settings: ModelSettings, access: ModelAccess): Promise<Model> {
  const { provider, name } = parseModelRef(settings.model);
  const place: Endpoint = { ...access, extras: extrasOf(settings) };
  switch (provider) {
    case 'anthropic':
      return openAnthropic(name, place);
    case 'openai':
      return openOpenai(name, place);
    case 'openai-compatible':
      return openCompatible(name, place);
    case 'scripted':
      return openScripted(name, settings.model);
  }
}

type Endpoint = ModelAccess & { readonly extras: RequestExtras };

function extrasOf({ headers = {}, body = {}, reasoningEffort }: ModelSettings): RequestExtras {
  const effort = reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort };
  return { headers, body: { ...effort, ...body } };
}

async function openAnthropic(model: string, access: Endpoint): Promise<Model> {
  const apiKey = access.anthropicApiKey || missing('ANTHROPIC_API_KEY', model);
  const { extras } = access;
  const { createAnthropicModel } = await import('./providers/anthropic.ts');
  return createAnthropicModel({ model, apiKey, extras, ...at(access.anthropicBaseUrl) });
}

async function openOpenai(model: string, access: Endpoint): Promise<Model> {
  const apiKey = access.openaiApiKey || missing('OPENAI_API_KEY', model);
  const { createOpenaiModel } = await import('./providers/openai.ts');
  const { extras } = access;
  const place = { apiKey, ...at(access.openaiBaseUrl) };
  return createOpenaiModel({ model, flavour: 'openai', extras, ...place });
}

async function openCompatible(model: string, access: Endpoint): Promise<Model> {
  const { openaiApiKey: apiKey, openaiBaseUrl: baseUrl, extras } = access;
  if (!baseUrl) {
    throw new Fault('MODEL_NOT_CONFIGURED', {
      because: `openai-compatible:${model} needs OPENAI_BASE_URL, the address of its server`,
    });
  }
  const { createOpenaiModel } = await import('./providers/openai.ts');
  const key = apiKey ? { apiKey } : {};
  return createOpenaiModel({ model, flavour: 'openai-compatible', extras, baseUrl, ...key });
}

async function openScripted(file: string, id: string): Promise<Model> {
  const { loadScript } = await import('./scripted/load-script.ts');
  const { createScriptedModel } = await import('./scripted/scripted-model.ts');
  return createScriptedModel(loadScript(file), { id });
}

function at(baseUrl: string | undefined): { baseUrl?: string } {
  return baseUrl ? { baseUrl } : {};
}

function missing(variable: string, model: string): never {
  throw new Fault('MODEL_KEY_MISSING', { because: `set ${variable} to use ${model}` });
}
