import { AwsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Scope } from '../../base/scope.ts';
import type { BundleHost } from '../../sdk/compile/host/bundle-host.ts';
import type { UserSecrets } from '../../sdk/contract/user-secrets.ts';
import type { Config } from '../config/config.ts';

type Parts = {
  /** Absent: the bundle does not run here. */
  readonly userSecrets?: UserSecrets | undefined;
  readonly log: Log;
  readonly scope: Scope;
};

/** Secrets of bundles: those of a user from storage, those of the installation from its descriptors or AWS. */
export function bundleSecrets(
  config: Config,
  { userSecrets, log, scope }: Parts,
): BundleHost['secret'] {
  const aws = scope.own(new AwsSecrets({ clock: systemClock, log }));
  const { tenant, project } = config;
  return async ({ id, for: owner, bundle, user }) => {
    if (owner === 'user') return user && userSecrets?.get({ tenant, project, user, bundle, id });
    const secret = config.secret(bundle, id);
    return typeof secret === 'object' ? await aws.get(secret) : secret;
  };
}
