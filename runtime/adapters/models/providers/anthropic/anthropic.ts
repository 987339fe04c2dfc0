import { Anthropic } from '@anthropic-ai/sdk';
import type { Model } from '../../../../engine/ports/model.ts';
import { costOf, knownModel, modelAbilities } from '../known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from '../limits.ts';
import type { RequestExtras } from '../model-settings.ts';
import { assertStreamed } from '../not-streamed.ts';
import { RejectedFeatures } from '../rejected-features.ts';
import { withFaults, withRetries } from '../retries.ts';
import { fromMessagesStream } from './anthropic-events.ts';
import { toMessagesBody } from './anthropic-request.ts';
import { withLegalThinking } from './legal-thinking.ts';

export type AnthropicOptions = {
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl?: string;
  readonly extras?: RequestExtras;
  readonly retriesMax?: number;
};

/** The provider's structured output needs a schema, so there is no way to ask for any JSON object. */
const abilities = { tools: true, forcedChoice: true, json: false };

/** The Messages API. */
export function createAnthropicModel(options: AnthropicOptions): Model {
  const { model, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel('anthropic', model);
  const client = new Anthropic({
    apiKey,
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    timeout: modelFirstByteMsMax,
    logLevel: 'off',
  });
  const features = new RejectedFeatures();
  return {
    id: `anthropic:${model}`,
    contextTokens: known.contextTokens,
    abilities: modelAbilities(known, abilities),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const toBody = () =>
        withLegalThinking({
          ...toMessagesBody({ model, features }, request),
          ...(features.accepts('effort') ? effortOf(extras?.reasoningEffort) : {}),
          ...extras?.body,
        });
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = async () => {
        const sent = client.messages.create(toBody(), { signal, headers });
        const { data, response } = await sent.withResponse();
        await assertStreamed(response);
        return data;
      };
      const attempt = () => fromMessagesStream(withFaults(open, signal), { model, tools });
      const learn = (error: unknown) => features.learn(error, toBody());
      return withRetries(attempt, { signal, retriesMax, learn });
    },
  };
}

function effortOf(effort: RequestExtras['reasoningEffort']) {
  if (effort === undefined) return {};
  return { output_config: { effort: effort === 'minimal' ? ('low' as const) : effort } };
}
