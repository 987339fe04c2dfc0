import { Fault } from '../../base/fault.ts';
import type { Model } from '../../engine/ports/model.ts';

export const modelProviders = ['anthropic', 'openai', 'openai-compatible', 'scripted'] as const;

export type ModelRef = {
  readonly provider: (typeof modelProviders)[number];
  /** The provider's name of the model, or the file of a script. */
  readonly name: string;
};

export type ModelAccess = {
  readonly anthropicApiKey?: string | undefined;
  readonly anthropicBaseUrl?: string | undefined;
  readonly openaiApiKey?: string | undefined;
  readonly openaiBaseUrl?: string | undefined;
};

/** @throws Fault MODEL_NOT_CONFIGURED for anything that is not `provider:name`. */
export function parseModelRef(ref: string): ModelRef {
  const colon = ref.indexOf(':');
  const provider = modelProviders.find((known) => known === ref.slice(0, colon));
  const name = ref.slice(colon + 1).trim();
  if (provider && name) return { provider, name };
  throw new Fault('MODEL_NOT_CONFIGURED', {
    because: `"${ref}" is not one of ${modelProviders.map((known) => `${known}:<name>`).join(', ')}`,
  });
}

/**
 * Opens nothing but files: the provider is asked at the first request. Each provider's library is loaded when it is needed.
 *
 * @throws Fault MODEL_NOT_CONFIGURED, MODEL_KEY_MISSING (naming the variable), SCRIPT_INVALID.
 */
export async function openModel(ref: string, access: ModelAccess = {}): Promise<Model> {
  const { provider, name } = parseModelRef(ref);
  switch (provider) {
    case 'anthropic':
      return openAnthropic(name, access);
    case 'openai':
      return openOpenai(name, access);
    case 'openai-compatible':
      return openCompatible(name, access);
    case 'scripted':
      return openScripted(name, ref);
  }
}

async function openAnthropic(model: string, access: ModelAccess): Promise<Model> {
  const apiKey = access.anthropicApiKey || missing('ANTHROPIC_API_KEY', model);
  const { createAnthropicModel } = await import('./anthropic.ts');
  return createAnthropicModel({ model, apiKey, ...at(access.anthropicBaseUrl) });
}

async function openOpenai(model: string, access: ModelAccess): Promise<Model> {
  const apiKey = access.openaiApiKey || missing('OPENAI_API_KEY', model);
  const { createOpenaiModel } = await import('./openai.ts');
  return createOpenaiModel({ model, flavour: 'openai', apiKey, ...at(access.openaiBaseUrl) });
}

async function openCompatible(model: string, access: ModelAccess): Promise<Model> {
  const { openaiApiKey: apiKey, openaiBaseUrl: baseUrl } = access;
  if (!baseUrl) {
    throw new Fault('MODEL_NOT_CONFIGURED', {
      because: `openai-compatible:${model} needs OPENAI_BASE_URL, the address of its server`,
    });
  }
  const { createOpenaiModel } = await import('./openai.ts');
  const key = apiKey ? { apiKey } : {};
  return createOpenaiModel({ model, flavour: 'openai-compatible', baseUrl, ...key });
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
