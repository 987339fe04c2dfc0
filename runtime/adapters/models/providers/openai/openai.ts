import type { Model } from '../../../../engine/ports/model.ts';
import { costOf, knownModel } from '../known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from '../limits.ts';
import type { RequestExtras } from '../model-settings.ts';
import { withFaults, withRetries } from '../retries.ts';
import { fromChatStream } from './chat-events.ts';
import { type Flavour, toChatBody } from './chat-request.ts';
import { openaiClient } from './openai-client.ts';

export type OpenaiOptions = {
  readonly model: string;
  readonly flavour: Flavour;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

/** The chat completions API. */
export function createOpenaiModel(options: OpenaiOptions): Model {
  const { model, flavour, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel(flavour, model);
  const client = openaiClient({ apiKey, baseUrl, timeout: modelFirstByteMsMax });
  return {
    id: `${flavour}:${model}`,
    contextTokens: known.contextTokens,
    ...abilitiesOf(flavour),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const effort = extras?.reasoningEffort;
      const body = {
        ...toChatBody(options, request),
        ...(effort === undefined ? {} : { reasoning_effort: effort }),
        ...extras?.body,
      };
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = () => client.chat.completions.create(body, { signal, headers });
      const attempt = () => fromChatStream(withFaults(open, signal), { model, tools });
      return withRetries(attempt, { signal, retriesMax });
    },
  };
}

/** What a compatible server supports is known only from its settings. */
export function abilitiesOf(flavour: Flavour): Pick<Model, 'abilities'> {
  return flavour === 'openai' ? { abilities: { tools: true, forcedChoice: true, json: true } } : {};
}
