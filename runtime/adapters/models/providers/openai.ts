import type { Model } from '../../../engine/ports/model.ts';
import { fromChatStream } from './chat-events.ts';
import { type Flavour, toChatBody } from './chat-request.ts';
import { costOf, knownModel } from './known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from './limits.ts';
import type { RequestExtras } from './model-settings.ts';
import { openaiClient } from './openai-client.ts';
import { withFaults, withRetries } from './retries.ts';

export type OpenaiOptions = {
  readonly model: string;
  readonly flavour: Flavour;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

const allAbilities = { tools: true, forcedChoice: true, json: true };

/** The chat completions API. */
export function createOpenaiModel(options: OpenaiOptions): Model {
  const { model, flavour, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel(flavour, model);
  const client = openaiClient({ apiKey, baseUrl, timeout: modelFirstByteMsMax });
  return {
    id: `${flavour}:${model}`,
    contextTokens: known.contextTokens,
    ...(flavour === 'openai' ? { abilities: allAbilities } : {}),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const body = { ...toChatBody(options, request), ...extras?.body };
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = () => client.chat.completions.create(body, { signal, headers });
      const attempt = () => fromChatStream(withFaults(open, signal), { model, tools });
      return withRetries(attempt, { signal, retriesMax });
    },
  };
}
