import { isPriced, type ModelSettings } from '../../adapters/models/providers/model-settings.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import {
  type ModelChoice,
  type ModelOptions,
  optionsOf,
  type RoleName,
} from '../../sdk/define/model.ts';
import type { Config } from '../config/config.ts';

type Installation = Pick<Config, 'model' | 'models'> & Partial<Pick<Config, 'descriptors'>>;

const roles: readonly RoleName[] = [
  ...(['decision', 'answer', 'summary', 'selection', 'small', 'reasoning'] as const),
];

/**
 * The model of an agent's role: the bundle's setting, else the installation's; an unset role uses `decision`. Settings
 * of a model in the installation apply wherever that model is named, unless they are set there too.
 */
export function settingsOf(
  { model, models }: Installation,
  agent: Pick<AgentSettings, 'models'>,
  role: RoleName,
): ModelSettings | undefined {
  const choice = agent.models[role] ?? agent.models.decision ?? models[role] ?? models.decision;
  if (choice === undefined) return model === undefined ? undefined : { model };
  return withStated(optionsOf(choice), [models[role], ...Object.values(models)].flatMap(toOptions));
}

/** The settings that the installation states for a model. */
export function statedSettings(
  { models }: Pick<Installation, 'models'>,
  ref: string,
): ModelSettings {
  const stated = Object.values(models).flatMap(toOptions);
  const { fallback: _, ...settings } = stated.find(({ model }) => model === ref) ?? {};
  return { ...settings, model: ref };
}

function toOptions(choice: ModelChoice | undefined): readonly ModelOptions[] {
  return choice === undefined ? [] : [optionsOf(choice)];
}

function withStated(named: ModelOptions, stated: readonly ModelOptions[]): ModelSettings {
  const { fallback, ...settings } = merged(named, stated);
  if (fallback === undefined) return settings;
  // The fallback of a model has no further fallback.
  const { fallback: _, ...other } = merged({ model: fallback }, stated);
  return { ...settings, fallback: other };
}

function merged(named: ModelOptions, stated: readonly ModelOptions[]): ModelOptions {
  return { ...stated.find((each) => each.model === named.model), ...named };
}

/** Every model that an agent may use: those of its roles, and those that users may choose in their place. */
export function modelsOf(
  installation: Installation,
  { modelChoices = [], ...agent }: Pick<AgentSettings, 'models' | 'modelChoices'>,
): readonly ModelSettings[] {
  const chosen = modelChoices.map((each) => ({ ...agent.models, decision: each, answer: each }));
  return [agent.models, ...chosen].flatMap((models) =>
    roles.flatMap((role) => settingsOf(installation, { models }, role) ?? []),
  );
}

/** One message for each model without a known price, where the agent has a budget in US dollars. */
export function unpricedIn(
  installation: Installation,
  agent: Pick<AgentSettings, 'id' | 'models' | 'modelChoices' | 'budgets'>,
): readonly string[] {
  const { user = {}, tenant = {} } = installation.descriptors?.assembly.spending ?? {};
  const limits = [user.day_usd, user.month_usd, tenant.day_usd, tenant.month_usd];
  const isLimited = limits.some((limit) => limit !== undefined);
  if (agent.budgets.costUsd === undefined && !isLimited) return [];
  const unpriced = modelsOf(installation, agent)
    .flatMap(({ fallback, ...settings }) => (fallback ? [settings, fallback] : [settings]))
    .filter((settings) => !isPriced(settings));
  return [...new Set(unpriced.map(({ model }) => model))].map((model) => {
    const example = `models: { decision: { model: "${model}", prices: { input: 0.5, output: 1.5 } } }`;
    const budget = 'budgets.costUsd, ceilings.turn_cost_usd and limits in US dollars in spending';
    return `agent “${agent.id}”: the price of ${model} is unknown, so a budget in US dollars cannot be enforced; set the price in assembly.yaml as in ${example}, or remove ${budget}`;
  });
}
