import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Model } from '../../../../engine/ports/model.ts';
import { costOf, knownModel } from '../known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from '../limits.ts';
import type { RequestExtras } from '../model-settings.ts';
import { RejectedFeatures } from '../rejected-features.ts';
import { withFaults, withRetries } from '../retries.ts';
import { abilitiesOf, type OpenaiOptions } from './openai.ts';
import { openaiClient } from './openai-client.ts';
import { fromResponsesStream } from './responses-events.ts';
import { toResponsesBody } from './responses-request.ts';
import { serverEvents } from './server-events.ts';

/** The Responses API. Its reasoning comes back encrypted and goes back with the history. */
export function createResponsesModel(options: OpenaiOptions): Model {
  const { model, flavour, apiKey, baseUrl, extras, retriesMax = modelRetriesMax } = options;
  const known = knownModel(flavour, model);
  const client = openaiClient({ apiKey, baseUrl, timeout: modelFirstByteMsMax });
  const features = new RejectedFeatures();
  return {
    id: `${flavour}:${model}`,
    contextTokens: known.contextTokens,
    ...abilitiesOf(options),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const toBody = () => ({
        ...toResponsesBody({ model, flavour, features }, request),
        ...reasoningOf(extras, features),
        ...extras?.body,
      });
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = async () => {
        const sent = client.responses.create(toBody(), { signal, headers });
        return serverEvents<ResponseStreamEvent>(await sent.asResponse());
      };
      const attempt = () => fromResponsesStream(withFaults(open, signal), { model, tools });
      const learn = (error: unknown) => features.learn(error, toBody());
      return withRetries(attempt, { signal, retriesMax, learn });
    },
  };
}

function reasoningOf(extras: RequestExtras | undefined, features: RejectedFeatures) {
  const effort = extras?.reasoningEffort;
  if (effort === undefined || !features.accepts('effort')) return {};
  return { reasoning: { effort, summary: 'auto' as const } };
}
