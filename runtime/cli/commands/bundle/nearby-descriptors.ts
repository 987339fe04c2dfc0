import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../config/config.ts';

/** Descriptors of a bundle: where the environment says, else here, else in its folder or the one above it. */
export function withNearbyDescriptors(dir: string, env: Environment): Environment {
  if (env['TIMELOOM_CONFIG_DIR']) return env;
  const found = ['.', dir, dirname(dir)].find((each) => existsSync(join(each, 'bundles.yaml')));
  return found === undefined ? env : { ...env, TIMELOOM_CONFIG_DIR: found };
}
