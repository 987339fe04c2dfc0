import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { Model, ModelAbilities } from '../../../../engine/ports/model.ts';
import type { ModelServer } from '../../../../sdk/define/model.ts';
import { costOf, knownModel, modelAbilities } from '../known-models.ts';
import { modelFirstByteMsMax, modelRetriesMax } from '../limits.ts';
import type { RequestExtras } from '../model-settings.ts';
import { RejectedFeatures } from '../rejected-features.ts';
import { withFaults, withRetries } from '../retries.ts';
import { fromChatStream } from './chat-events.ts';
import type { Flavour } from './chat-messages.ts';
import { type ChatServer, toChatBody } from './chat-request.ts';
import { openaiClient } from './openai-client.ts';
import { serverEvents } from './server-events.ts';
import { profileOf } from './server-profile.ts';

export type OpenaiOptions = {
  readonly model: string;
  readonly flavour: Flavour;
  readonly server?: ModelServer;
  readonly content?: 'parts' | 'string';
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
  const server = chatServerOf(options);
  const { features } = server;
  return {
    id: `${flavour}:${model}`,
    contextTokens: known.contextTokens,
    ...abilitiesOf(options),
    costUsd: (usage) => costOf(known, usage),
    stream(request, { signal }) {
      const toBody = () => ({
        ...toChatBody(server, request),
        ...effortOf(extras, features),
        ...extras?.body,
      });
      const tools = request.offer?.tools.map(({ name }) => name) ?? [];
      const { headers } = extras ?? {};
      const open = async () => {
        const sent = client.chat.completions.create(toBody(), { signal, headers });
        return serverEvents<ChatCompletionChunk>(await sent.asResponse());
      };
      const source = { model, flavour, tools };
      const attempt = () => fromChatStream(withFaults(open, signal), source);
      const learn = (error: unknown) => features.learn(error, toBody());
      return withRetries(attempt, { signal, retriesMax, learn });
    },
  };
}

function chatServerOf({ model, flavour, content = 'parts', server, baseUrl }: OpenaiOptions) {
  const profile = profileOf(flavour === 'openai' ? undefined : server, baseUrl);
  const features = new RejectedFeatures();
  return { model, flavour, content, profile, features } satisfies ChatServer;
}

function effortOf(extras: RequestExtras | undefined, features: RejectedFeatures) {
  const effort = extras?.reasoningEffort;
  return effort === undefined || !features.accepts('effort') ? {} : { reasoning_effort: effort };
}

const all: ModelAbilities = { tools: true, forcedChoice: true, json: true };

/** What a compatible server supports is known only from its profile or its settings. */
export function abilitiesOf({
  model,
  flavour,
  server,
  baseUrl,
}: Pick<OpenaiOptions, 'model' | 'flavour' | 'server' | 'baseUrl'>): Pick<Model, 'abilities'> {
  const usual = flavour === 'openai' ? all : profileOf(server, baseUrl).abilities;
  return usual ? { abilities: modelAbilities(knownModel(flavour, model), usual) } : {};
}
