import { join } from 'node:path';
import { findBundles } from '../adapters/bundles/find.ts';
import { loadBundle } from '../adapters/bundles/load.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { AgentOptions } from '../sdk/agent.ts';
import type { Ceilings } from '../sdk/compile/agent-options.ts';
import { compileBundle } from '../sdk/compile/bundle.ts';
import { createMemoryStorage } from '../sdk/compile/storage.ts';
import type { Platform } from '../sdk/compile/toolbox.ts';
import type { RuntimeBundle } from '../sdk/runtime-bundle.ts';
import type { Config } from './config.ts';
import { packageRoot } from './package-root.ts';

type Options = {
  readonly platform: Platform;
  readonly log: Log;
  readonly scope: Scope;
  readonly signal: AbortSignal;
};

/** Every bundle of the configured folders, else those that ship with the runtime. Fault `BUNDLE_INVALID`. */
export async function openBundles(
  config: Config,
  { platform, log, scope, signal }: Options,
): Promise<[RuntimeBundle, ...RuntimeBundle[]]> {
  const paths =
    config.bundlePaths.length > 0 ? config.bundlePaths : [join(packageRoot(), 'bundles')];
  const opened: RuntimeBundle[] = [];
  for (const folder of await findBundles(paths)) {
    const { definition, revision, dir } = await loadBundle(folder, {
      cacheDir: join(config.dataDir, 'bundles'),
    });
    const said = config.descriptors.bundles?.bundles.find(({ id }) => id === definition.id);
    const bundle = await compileBundle(definition, {
      dir,
      revision,
      platform,
      host: hostOf(config, log),
      props: said?.props ?? {},
      defaults: defaultsOf(config),
      ceilings: ceilingsOf(config),
      signal,
    });
    scope.defer(() => bundle.dispose());
    opened.push(bundle);
  }
  const [first, ...rest] = opened;
  if (!first)
    throw new Fault('BUNDLE_INVALID', { because: `no bundle.ts below ${paths.join(', ')}` });
  return [first, ...rest];
}

function hostOf(config: Config, log: Log) {
  return {
    tenant: config.tenant,
    project: config.project,
    log,
    fetch: globalThis.fetch,
    storage: createMemoryStorage(() => Date.now()),
    secret: async ({ id, bundle }: { id: string; bundle: string }) => config.secret(bundle, id),
  };
}

/** What the installation says where an agent is silent. */
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

function ceilingsOf({ descriptors }: Config): Ceilings {
  const { turn_cost_usd, exec_memory_mb, exec_timeout_ms } = descriptors.assembly.ceilings ?? {};
  return {
    ...(turn_cost_usd === undefined ? {} : { turnCostUsd: turn_cost_usd }),
    ...(exec_memory_mb === undefined ? {} : { execMemoryMb: exec_memory_mb }),
    ...(exec_timeout_ms === undefined ? {} : { execTimeoutMs: exec_timeout_ms }),
  };
}
