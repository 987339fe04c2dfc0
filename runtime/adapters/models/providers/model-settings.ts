import type { Json } from '../../../base/json.ts';
import type { Model } from '../../../engine/ports/model.ts';
import type { ModelOptions } from '../../../sdk/define/model.ts';
import { costOf, knownModel } from './known-models.ts';

/** A model name with the settings that an author or operator gives. */
export type ModelSettings = Omit<ModelOptions, 'model' | 'fallback'> & {
  readonly model: string;
  /** With its own settings. */
  readonly fallback?: ModelSettings;
};

/** Fields added to each request to the provider. */
export type RequestExtras = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>>;
  readonly reasoningEffort?: ModelSettings['reasoningEffort'];
};

/** The same model with these settings applied. */
export function withSettings(model: Model, settings: ModelSettings): Model {
  const { maxOutputTokens, temperature, contextTokens, prices, abilities } = settings;
  const { promptForm = model.promptForm, protocol = model.protocol } = settings;
  const isPlain = [
    maxOutputTokens,
    temperature,
    contextTokens,
    prices,
    abilities,
    promptForm,
    protocol,
  ].every((each) => each === undefined);
  if (isPlain) return model;
  return {
    id: model.id,
    contextTokens: contextTokens ?? model.contextTokens,
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...abilitiesOf(model, abilities),
    ...(model.protocol === undefined ? {} : { protocol: model.protocol }),
    ...(promptForm === undefined ? {} : { promptForm }),
    ...(protocol === undefined ? {} : { protocol }),
    costUsd: prices
      ? (usage) => costOf({ price: toPrice(prices) }, usage)
      : model.costUsd.bind(model),
    stream: (request, options) =>
      model.stream(
        {
          ...request,
          maxOutputTokens: Math.min(request.maxOutputTokens, maxOutputTokens ?? Infinity),
          temperature: temperature ?? request.temperature,
        },
        options,
      ),
  };
}

/** Abilities that the settings do not state are those of the model. */
function abilitiesOf({ abilities }: Model, stated: ModelSettings['abilities']): AbilityField {
  if (!stated) return abilities ? { abilities } : {};
  const { tools, forcedChoice, json } = { ...abilities, ...stated };
  const has = { tools: tools ?? false, forcedChoice: forcedChoice ?? false, json: json ?? false };
  return { abilities: has };
}
type AbilityField = Pick<Model, 'abilities'>;

function toPrice({ input, output, cacheRead = input, cacheWrite = input }: Prices) {
  return { input, output, cacheRead, cacheWrite };
}
type Prices = NonNullable<ModelSettings['prices']>;

/** Whether its price is known, from the settings or the provider's list. A script is free. */
export function isPriced({ model, prices }: Pick<ModelSettings, 'model' | 'prices'>): boolean {
  const colon = model.indexOf(':');
  const provider = model.slice(0, colon);
  if (prices !== undefined || provider === 'scripted') return true;
  return knownModel(provider, model.slice(colon + 1)).price !== undefined;
}
