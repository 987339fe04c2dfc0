import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Model, ModelAbilities } from '../../../../engine/ports/model.ts';
import { costOf, knownModel, modelAbilities } from '../known-models.ts';
import { modelRetriesMax } from '../limits.ts';
import type { RequestExtras } from '../model-settings.ts';
import { withFaults, withRetries } from '../retries.ts';
import { fromSdkStream } from './ai-sdk-events.ts';
import { toCallOptions } from './ai-sdk-request.ts';
import { toProviderError } from './sdk-error.ts';

export type AiSdkOptions = {
  /** Our name of the provider, as in `google:…`. */
  readonly provider: string;
  readonly model: LanguageModelV4;
  readonly abilities: ModelAbilities;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

/** A model of the AI SDK's provider packages, through their common interface. */
export function createAiSdkModel(options: AiSdkOptions): Model {
  const { provider, model, abilities, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel(provider, model.modelId);
  return {
    id: `${provider}:${model.modelId}`,
    contextTokens: known.contextTokens,
    abilities: modelAbilities(known, abilities),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const call = {
        ...toCallOptions(request, { provider }),
        ...extrasOf(model, extras),
        abortSignal: signal,
      };
      const source = {
        model: model.modelId,
        provider,
        tools: request.offer?.tools.map(({ name }) => name) ?? [],
      };
      const open = () => Promise.resolve(partsOf(model, call));
      return withRetries(() => fromSdkStream(withFaults(open, signal), source), {
        signal,
        retriesMax,
      });
    },
  };
}

/** Fields for the body are options of the provider: its package knows which of them it sends. */
function extrasOf(model: LanguageModelV4, extras: RequestExtras | undefined) {
  if (!extras) return {};
  const { headers, body, reasoningEffort } = extras;
  const [name = ''] = model.provider.split('.');
  return {
    headers: { ...headers },
    ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
    ...(Object.keys(body).length > 0 ? { providerOptions: { [name]: { ...body } } } : {}),
  };
}

/** Leaving the stream ends the request. */
async function* partsOf(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let failure: unknown;
  try {
    const { stream } = await model.doStream(call);
    for await (const part of stream) {
      if (part.type === 'error') failure ??= part.error;
      else if (failure === undefined) yield part;
    }
  } catch (error) {
    failure = error;
  }
  if (failure !== undefined) throw toProviderError(failure);
}
