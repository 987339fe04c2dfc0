import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Platform } from '../../sdk/compile/agents/toolbox.ts';
import { compileBundle } from '../../sdk/compile/compile-bundle.ts';
import type { Supervise } from '../../sdk/compile/lifecycle/supervisor.ts';
import type { Ceilings } from '../../sdk/compile/settings/agent-options.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import type { AgentOptions } from '../../sdk/define/agent.ts';
import type { ConfiguredBundle } from '../config/bundle-settings.ts';
import type { Config } from '../config/config.ts';
import { assertPlaces } from '../sandbox/allowed-places.ts';
import { createBundleHost, type HostResources } from './bundle-host.ts';
import { assertSecretsKey } from './user-secrets.ts';

type OpenOptions = {
  readonly platform: Platform;
  readonly signal: AbortSignal;
  readonly resources: HostResources;
  readonly supervise: Supervise;
  readonly liveProps?: JsonObject;
};

/** Compiles one bundle with the operator's settings. Faults `BUNDLE_INVALID`, `CONFIG_INVALID`. */
export async function openBundle(
  config: Config,
  set: ConfiguredBundle,
  { resources, ...options }: OpenOptions,
): Promise<RuntimeBundle> {
  assertSecretsKey(config, set.definition);
  const bundle = await compileBundle(set.definition, {
    ...{ ...set, ...options, host: createBundleHost(config, resources) },
    defaults: defaultsOf(config),
    ceilings: ceilingsOf(config),
  });
  assertPlaces(bundle.agents, config);
  return bundle;
}

/** The installation's defaults for settings that an agent does not have. */
function defaultsOf({
  roundsMax,
  multiAction,
  contextMaxTokens,
  execTimeoutMs,
}: Config): AgentOptions {
  return {
    ...(roundsMax === undefined ? {} : { budgets: { rounds: roundsMax } }),
    ...(multiAction === undefined ? {} : { policies: { multiAction } }),
    ...(contextMaxTokens === undefined ? {} : { context: { maxTokens: contextMaxTokens } }),
    ...(execTimeoutMs === undefined ? {} : { exec: { timeoutMs: execTimeoutMs } }),
  };
}

function ceilingsOf({ descriptors, execAllowance, execLimits }: Config): Ceilings {
  const { turn_cost_usd, exec_memory_mb, exec_timeout_ms } = descriptors.assembly.ceilings ?? {};
  const { cpus = execLimits.cpus ?? defaultProfile.cpus } = execAllowance;
  return {
    execCpus: cpus,
    ...(turn_cost_usd === undefined ? {} : { turnCostUsd: turn_cost_usd }),
    ...(exec_memory_mb === undefined ? {} : { execMemoryMb: exec_memory_mb }),
    ...(exec_timeout_ms === undefined ? {} : { execTimeoutMs: exec_timeout_ms }),
  };
}
