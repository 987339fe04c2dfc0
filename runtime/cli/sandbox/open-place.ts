import type { SandboxPlace } from '../../tools/ports/sandbox-place.ts';
import type { Config } from '../config/config.ts';
import { openSandbox, type SandboxParts } from './open-sandbox.ts';
import type { OpenPlace } from './sandboxes.ts';

/** Opens sandboxes that agents choose beside the installation's own one. */
export function openPlace(config: Config, parts: SandboxParts): OpenPlace {
  const { dockerHost, execPool, execLimits, ownFolders: hidden, fargate, execMode } = config;
  return ({ mode, image, cpus = execLimits.cpus }: SandboxPlace) => {
    const chosen = mode ?? (image === undefined ? execMode : 'docker');
    return openSandbox({
      ...{ mode: chosen, dockerHost, hidden, fargate },
      // An idle task costs money.
      pool: chosen === 'fargate' ? 0 : execPool,
      limits: {
        ...(chosen === 'docker'
          ? execLimits
          : { inodes: execLimits.inodes, runtime: undefined, docker: undefined }),
        cpus,
      },
      ...(image === undefined ? {} : { base: image }),
      ...parts,
    });
  };
}
