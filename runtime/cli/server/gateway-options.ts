import { createDispatch } from '../../adapters/web/dispatch.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Scope } from '../../base/scope.ts';
import type { Config } from '../config/config.ts';
import { createEvalReports } from '../evals/eval-reports.ts';
import type { ServedProjects } from '../wiring/live-projects.ts';
import type { RuntimeParts } from '../wiring/open-runtime.ts';
import { readFindings } from './bundle-findings.ts';
import { openAuth } from './open-auth.ts';
import { openSurfaces } from './open-surfaces.ts';

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly scope: Scope;
  readonly projects: ServedProjects;
  /** The folder of a bundle as it is served now. */
  folderOf(bundle: string): string | undefined;
};

type GatewayOption =
  | 'auth'
  | 'limits'
  | 'files'
  | 'surfaces'
  | 'dispatch'
  | 'evals'
  | 'checkBundle'
  | 'listen';

/** What the configuration says of the gateway: who may connect, from where, how much, and where functions are performed. */
export async function gatewayOptions(
  config: Config,
  { folderOf, ...parts }: Parts,
): Promise<Pick<RuntimeParts, GatewayOption>> {
  return {
    auth: await openAuth(config, parts),
    limits: config.rates,
    files: config.files,
    surfaces: await openSurfaces(config, parts),
    dispatch: createDispatch(config.dispatch),
    evals: parts.scope.own(createEvalReports(config.evals)),
    checkBundle: async (bundle, waits) => {
      const dir = folderOf(bundle);
      if (dir === undefined) throw new Refusal('not_found', `bundle "${bundle}" has no folder`);
      return await readFindings(dir, waits);
    },
    listen: { host: config.host, port: config.port },
  };
}
