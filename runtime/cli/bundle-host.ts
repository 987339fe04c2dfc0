import type { Log } from '../base/log.ts';
import { callModel } from '../engine/internal-call.ts';
import type { BundleHost } from '../sdk/compile/host.ts';
import { createMemoryStorage } from '../sdk/compile/storage.ts';
import type { ToolServers } from '../sdk/compile/tool-servers.ts';
import type { Config } from './config.ts';
import type { Models } from './models.ts';

type Lent = {
  readonly log: Log;
  readonly models: Models;
  readonly servers?: ToolServers | undefined;
};

/** What this installation lends to each of its bundles. */
export function hostOf(config: Config, { log, models, servers }: Lent): BundleHost {
  return {
    tenant: config.tenant,
    project: config.project,
    log,
    fetch: globalThis.fetch,
    ...(servers ? { servers } : {}),
    storage: createMemoryStorage(() => Date.now()),
    secret: async ({ id, bundle }) => config.secret(bundle, id),
    generate: (request, { ids, signal }) =>
      callModel(models.for(ids, request.role), request, { signal }),
  };
}
