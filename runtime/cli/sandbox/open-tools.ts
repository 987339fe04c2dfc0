import type { Scope } from '../../base/scope.ts';
import type { RuntimeBundle } from '../../sdk/contract/runtime-bundle.ts';
import { programKinds } from '../../tools/exec/program/program-kinds.ts';
import type { Sandbox } from '../../tools/ports/sandbox.ts';
import type { Config } from '../config/config.ts';
import type { Ports } from '../wiring/open-runtime.ts';
import { openSandbox } from './open-sandbox.ts';
import { platformTools } from './platform-tools.ts';

/** The platform's tools, and the sandbox in which their programs run. */
export async function openTools(
  config: Config,
  { works, scope, ...ports }: Ports & { works: boolean; scope: Scope },
) {
  const { dockerHost, execPool: pool, execLimits: limits, ownFolders: hidden, fargate } = config;
  // A gateway without a worker runs no programs.
  const mode = works ? config.execMode : 'off';
  const { blobs, clock, log } = ports;
  const opened = await openSandbox({
    ...{ mode, dockerHost, pool, limits, hidden, fargate },
    ...{ blobs, clock, log, scope },
  });
  const { sandbox, libraries, refusal } = opened;
  const { platform: platformLimits } = limits;
  const platform = platformTools({ sandbox, libraries, refusal, ...ports, limits: platformLimits });
  return { sandbox, refusal, platform };
}

/** Keeps idle executors for the kinds of programs that the agents of these bundles can write. */
export function keepPrograms(
  sandbox: Sandbox | undefined,
  { bundles, config }: { readonly bundles: readonly RuntimeBundle[]; readonly config: Config },
): void {
  const agents = bundles.flatMap((bundle) => bundle.agents);
  sandbox?.keep?.(programKinds(agents, config.execLimits.platform));
}
