import { openModel } from '../adapters/models/open-models.ts';
import { Fault } from '../base/fault.ts';
import type { Engine } from '../engine/engine.ts';
import type { Model } from '../engine/ports/model.ts';
import type { AgentSettings, RoleName } from '../sdk/agent-settings.ts';
import type { Config } from './config.ts';

/**
 * Every model an agent may ask, opened before any traffic: a missing key is told at the start, not in a turn. Where no
 * model is named at all the server still serves, and each turn ends with Fault `MODEL_NOT_CONFIGURED`.
 */
export async function openModels(
  config: Config,
  agents: readonly AgentSettings[],
): Promise<Engine['model']> {
  const refs = new Set(
    agents.flatMap((agent) => [
      refOf(config, agent, 'decision'),
      ...roles.map((role) => refOf(config, agent, role)),
    ]),
  );
  const access = {
    ...defined('anthropicApiKey', config.anthropicApiKey),
    ...defined('anthropicBaseUrl', config.anthropicBaseUrl),
    ...defined('openaiApiKey', config.openaiApiKey),
    ...defined('openaiBaseUrl', config.openaiBaseUrl),
  };
  const open = new Map<string, Model>();
  for (const ref of refs) if (ref !== undefined) open.set(ref, await openModel(ref, access));
  return (agent, role) => {
    const model = open.get(refOf(config, agent, role) ?? '');
    if (!model) throw new Fault('MODEL_NOT_CONFIGURED', { agent: agent.id, role });
    return model;
  };
}

const roles: readonly RoleName[] = ['summary', 'small'];

/** The bundle's word, then the installation's; an unset role uses `decision`. */
function refOf(config: Config, agent: AgentSettings, role: RoleName): string | undefined {
  return agent.models[role] ?? agent.models.decision ?? config.models[role] ?? config.model;
}

function defined<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: string });
}
