import { invariant } from '../../base/assert.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { Platform } from '../../sdk/compile/agents/toolbox.ts';
import { storedProps } from '../../sdk/compile/lifecycle/live-props.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { bundleOf } from '../../sdk/define/definition.ts';
import { type ConfiguredBundle, configureBundles } from '../config/bundle-settings.ts';
import type { Config } from '../config/config.ts';
import type { Models } from '../models/models.ts';
import type { HostResources } from './bundle-host.ts';
import { bundleSecrets } from './bundle-secrets.ts';
import { createSupervise } from './bundle-supervisor.ts';
import { loadBundles } from './load-bundles.ts';
import { openBundle } from './open-bundle.ts';

type Options = {
  readonly configured: readonly ConfiguredBundle[];
  readonly platform: Platform;
  readonly log: Log;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** Models for `ctx.generate`. */
  readonly models: Models;
  readonly storage: HostResources['storage'];
  readonly userSecrets?: Parameters<typeof bundleSecrets>[1]['userSecrets'];
  /** Absent: this process calls no tools, so it connects to no MCP server. */
  readonly servers?: HostResources['servers'];
  /** Accepts messages and conversations from bundles; absent: bundles cannot send any. */
  readonly post?: HostResources['post'];
  readonly spending?: HostResources['spending'];
  /** Accepts jobs from bundles; absent: bundles cannot enqueue any. */
  readonly jobs?: HostResources['jobs'];
};

/**
 * Loads the bundles in the configured folders, else the bundles shipped with the runtime, and applies `bundles.yaml`.
 * Throws Fault `BUNDLE_INVALID`, or `CONFIG_INVALID` if `bundles.yaml` does not match the bundles.
 */
export async function loadConfiguredBundles(
  config: Config,
  options: Pick<Options, 'log' | 'signal'>,
): Promise<readonly ConfiguredBundle[]> {
  return configureBundles(await loadBundles(config, options), config.descriptors);
}

/** Opens the loaded bundles, ready to serve turns. Fault `BUNDLE_INVALID`. */
export async function openBundles(
  config: Config,
  { configured, platform, scope, signal, userSecrets, ...shared }: Options,
): Promise<[RuntimeBundle, ...RuntimeBundle[]]> {
  const { servers, storage } = shared;
  const opened: RuntimeBundle[] = [];
  const secret = bundleSecrets(config, { userSecrets, log: shared.log, scope });
  const supervise = createSupervise(config, { works: servers !== undefined });
  for (const set of configured) {
    const resources = { ...shared, secret, signal, disabledServers: set.disabledServers };
    const liveProps = await storedProps(storage, {
      place: config,
      bundle: bundleOf(set.definition).id,
    });
    const bundle = await openBundle(config, set, {
      ...{ platform, signal, resources, supervise: supervise(set), liveProps },
    });
    scope.defer(() => bundle.dispose());
    opened.push(bundle);
  }
  const [first, ...rest] = opened;
  invariant(first, 'loading reports a folder without a bundle');
  return [first, ...rest];
}
