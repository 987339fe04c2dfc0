import type { Model } from '../../../../engine/ports/model.ts';
import { costOf, knownModel } from '../known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from '../limits.ts';
import { withFaults, withRetries } from '../retries.ts';
import { abilitiesOf, type OpenaiOptions } from './openai.ts';
import { openaiClient } from './openai-client.ts';
import { fromResponsesStream } from './responses-events.ts';
import { toResponsesBody } from './responses-request.ts';

/** The Responses API. Its reasoning comes back encrypted and goes back with the history. */
export function createResponsesModel(options: OpenaiOptions): Model {
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
        ...toResponsesBody(options, request),
        ...(effort === undefined ? {} : { reasoning: { effort, summary: 'auto' as const } }),
        ...extras?.body,
      };
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = () => client.responses.create(body, { signal, headers });
      const attempt = () => fromResponsesStream(withFaults(open, signal), { model, tools });
      return withRetries(attempt, { signal, retriesMax });
    },
  };
}
