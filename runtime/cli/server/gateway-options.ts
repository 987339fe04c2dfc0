import { createDispatch } from '../../adapters/web/dispatch.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { Config } from '../config/config.ts';
import { createEvalReports } from '../evals/eval-reports.ts';
import type { ServedProject } from '../wiring/live-projects.ts';
import type { RuntimeParts } from '../wiring/open-runtime.ts';
import { openAuth } from './open-auth.ts';
import { openSurfaces } from './open-surfaces.ts';

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly scope: Scope;
  readonly bundles: ServedProject['bundles'];
};

type GatewayOption = 'auth' | 'limits' | 'files' | 'surfaces' | 'dispatch' | 'evals' | 'listen';

/** What the configuration says of the gateway: who may connect, from where, how much, and where functions are performed. */
export async function gatewayOptions(
  config: Config,
  { bundles, ...parts }: Parts,
): Promise<Pick<RuntimeParts, GatewayOption>> {
  return {
    auth: await openAuth(config, parts),
    limits: config.rates,
    files: config.files,
    surfaces: openSurfaces(config, { ...parts, bundles }),
    dispatch: createDispatch(config.dispatch),
    evals: createEvalReports(config.evals),
    listen: { host: config.host, port: config.port },
  };
}
