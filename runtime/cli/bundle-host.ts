import type { Log } from '../base/log.ts';
import { callModel } from '../engine/internal-call.ts';
import type { BundleHost, JobQueue, Post } from '../sdk/compile/host.ts';
import type { KeyValueStore } from '../sdk/compile/storage.ts';
import type { ToolServers } from '../sdk/compile/tool-servers.ts';
import type { Config } from './config.ts';
import type { Models } from './models.ts';
import { withoutServers } from './open-servers.ts';

export type Lent = {
  readonly log: Log;
  readonly models: Models;
  /** What bundles keep with `ctx.storage`. */
  readonly storage: KeyValueStore;
  readonly servers?: ToolServers | undefined;
  readonly post?: Post | undefined;
  readonly jobs?: JobQueue | undefined;
  /** Servers that the bundle names and is not to reach. */
  readonly unused: readonly string[];
};

/** What this installation lends to each of its bundles. */
export function hostOf(config: Config, lent: Lent): BundleHost {
  const { log, models, storage, servers, post, jobs, unused } = lent;
  return {
    tenant: config.tenant,
    project: config.project,
    log,
    ...(post ? { post } : {}),
    ...(jobs ? { jobs } : {}),
    fetch: globalThis.fetch,
    ...(servers ? { servers: withoutServers(servers, unused) } : {}),
    storage,
    secret: async ({ id, bundle }) => config.secret(bundle, id),
    generate: (request, { ids, ...options }) =>
      callModel(models.for(ids, request.role), request, options),
  };
}
