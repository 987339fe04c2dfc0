import { invariant } from '../base/assert.ts';
import type { Log } from '../base/log.ts';
import type { Scope } from '../base/scope.ts';
import type { AgentOptions } from '../sdk/agent.ts';
import type { Ceilings } from '../sdk/compile/agent-options.ts';
import { compileBundle } from '../sdk/compile/bundle.ts';
import type { ToolServers } from '../sdk/compile/tool-servers.ts';
import type { Platform } from '../sdk/compile/toolbox.ts';
import type { RuntimeBundle } from '../sdk/runtime-bundle.ts';
import { hostOf, type Lent } from './bundle-host.ts';
import { type SetBundle, setBundles } from './bundle-settings.ts';
import type { Config } from './config.ts';
import { loadBundles } from './load-bundles.ts';
import type { Models } from './models.ts';
import { superviseOf } from './supervise.ts';

type Options = {
  readonly read: readonly SetBundle[];
  readonly platform: Platform;
  readonly log: Log;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Answers what a bundle asks through `ctx.generate`. */
  readonly models: Models;
  readonly storage: Lent['storage'];
  /** Absent: this process calls no tools, so it reaches no MCP server. */
  readonly servers?: ToolServers | undefined;
  /** Takes what bundles say and open themselves; absent: nothing does. */
  readonly post?: Lent['post'];
};

/**
 * Every bundle of the configured folders, else those that ship with the runtime, as `bundles.yaml` sets it. Faults
 * `BUNDLE_INVALID`, and `CONFIG_INVALID` where `bundles.yaml` does not fit them.
 */
export async function readBundles(config: Config): Promise<readonly SetBundle[]> {
  return setBundles(await loadBundles(config), config.descriptors);
}

/** The bundles that were read, ready to serve turns. Fault `BUNDLE_INVALID`. */
export async function openBundles(
  config: Config,
  { read, platform, log, scope, signal, models, storage, servers, post }: Options,
): Promise<[RuntimeBundle, ...RuntimeBundle[]]> {
  const opened: RuntimeBundle[] = [];
  const supervise = superviseOf(config, { works: servers !== undefined });
  for (const set of read) {
    const bundle = await compileBundle(set.definition, {
      ...{ ...set, platform, signal, supervise: supervise(set) },
      host: hostOf(config, { log, models, storage, servers, post, unused: set.unused }),
      defaults: defaultsOf(config),
      ceilings: ceilingsOf(config),
    });
    scope.defer(() => bundle.dispose());
    opened.push(bundle);
  }
  const [first, ...rest] = opened;
  invariant(first, 'a folder without a bundle is told when it is loaded');
  return [first, ...rest];
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
