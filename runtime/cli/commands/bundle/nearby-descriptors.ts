import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../config/config.ts';

/** Finds the descriptors of a bundle: as set in the environment, else in the current folder, the bundle's folder or its parent. */
export function withNearbyDescriptors(dir: string, env: Environment): Environment {
  if (env['TIMELOOM_CONFIG_DIR']) return env;
  const found = ['.', dir, dirname(dir)].find((each) => existsSync(join(each, 'bundles.yaml')));
  return found === undefined ? env : { ...env, TIMELOOM_CONFIG_DIR: found };
}
