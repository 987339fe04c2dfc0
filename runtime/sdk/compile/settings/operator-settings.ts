import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { multiActions } from '../../../channels/reply/rules.ts';
import type { AgentOptions } from '../../define/agent.ts';
import { toViolations } from '../validate/zod-schema.ts';
import { agentOptions } from './agent-schema.ts';

const count = z.int().positive();

/** Settings for all agents, from the installation and from the props of a bundle. */
export const reactSettings = z
  .strictObject({
    max_iterations: count,
    multi_action: z.enum(multiActions),
    context_max_tokens: count,
  })
  .partial();

/** Prop keys that belong to the runtime, besides those that the bundle declares. */
const settingSchemas = {
  react: reactSettings.optional(),
  agents: z.record(z.string(), agentOptions).optional(),
};
export const settingKeys: readonly string[] = Object.keys(settingSchemas);
const Settings = z.object(settingSchemas);

/** Agent settings from props. `of`: the options for one agent, most general first. */
export type OperatorSettings = { of(agent: string): readonly AgentOptions[] };

export const noSettings: OperatorSettings = { of: () => [] };

type SettingsResult = { readonly settings: OperatorSettings; readonly problems: readonly string[] };

/** `live`: the settings change while the bundle serves, when no model can be opened. */
export function readSettings(
  given: JsonObject,
  { agents: ids, live }: { readonly agents: readonly string[]; readonly live: boolean },
): SettingsResult {
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    const places = toViolations(parsed.error);
    return {
      settings: noSettings,
      problems: places.map(({ path, message }) => `${path}: ${message}`),
    };
  }
  const { react, agents = {} } = parsed.data;
  const problems = Object.entries(agents).flatMap(([id, { models, modelChoices }]) => [
    ...(ids.includes(id) ? [] : [`agents.${id}: unknown agent; use one of ${ids.join(', ')}`]),
    ...(live && (models || modelChoices)
      ? [
          `agents.${id}.${models ? 'models' : 'modelChoices'}: models are opened when the bundle loads; set them in bundles.yaml`,
        ]
      : []),
  ]);
  const shared = react ? [toOptions(react)] : [];
  return { settings: { of: (id) => [...shared, agents[id] ?? {}] }, problems };
}

function toOptions({
  max_iterations: rounds,
  multi_action: multiAction,
  context_max_tokens: maxTokens,
}: z.infer<typeof reactSettings>): AgentOptions {
  return {
    ...(rounds === undefined ? {} : { budgets: { rounds } }),
    ...(multiAction === undefined ? {} : { policies: { multiAction } }),
    ...(maxTokens === undefined ? {} : { context: { maxTokens } }),
  };
}

/** JSON Schema of these keys. */
export function settingsSchema(): JsonObject {
  const { properties } = z.toJSONSchema(Settings, { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(properties ?? {}));
}
