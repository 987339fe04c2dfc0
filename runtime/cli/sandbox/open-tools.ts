import type { Scope } from '../../base/scope.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { programKinds } from '../../tools/exec/program/program-kinds.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import type { Config } from '../config/config.ts';
import type { Ports } from '../wiring/open-runtime.ts';
import { openSandbox } from './open-sandbox.ts';
import { platformTools } from './platform-tools.ts';

/** The tools that every agent may have, over the sandbox in which programs run. */
export async function openTools(
  config: Config,
  { works, scope, ...ports }: Ports & { works: boolean; scope: Scope },
) {
  const { dockerHost, execPool: pool, execLimits: limits, ownFolders: hidden, fargate } = config;
  // A door alone runs no programs and asks no model.
  const mode = works ? config.execMode : 'off';
  const { blobs, clock, log } = ports;
  const opened = await openSandbox({
    ...{ mode, dockerHost, pool, limits, hidden, fargate },
    ...{ blobs, clock, log, scope },
  });
  const { sandbox, libraries, refusal } = opened;
  const { platform: most } = limits;
  const platform = platformTools({ sandbox, libraries, refusal, ...ports, limits: most });
  return { sandbox, refusal, platform };
}

/** Executors of the kinds that the agents of these bundles write programs for are kept waiting. */
export function keepPrograms(
  sandbox: Sandbox | undefined,
  { bundles, config }: { readonly bundles: readonly RuntimeBundle[]; readonly config: Config },
): void {
  const agents = bundles.flatMap((bundle) => bundle.agents);
  sandbox?.keep?.(programKinds(agents, config.execLimits.platform));
}
