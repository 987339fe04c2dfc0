import { defaultProfile } from '../../../supervisor/cell/profile.ts';
import type { Scope } from '../../base/scope.ts';
import { loadTokenizer } from '../../timeline/tokens.ts';
import type { Config } from '../config/config.ts';
import type { Ports } from '../wiring/open-runtime.ts';
import { Presence } from '../wiring/presence.ts';
import { openAgents } from './open-agents.ts';
import { openPlace } from './open-place.ts';
import { openSandbox } from './open-sandbox.ts';
import { openWeb } from './open-web.ts';
import { platformTools } from './platform-tools.ts';
import { ReadyExecutors } from './ready-executors.ts';
import { Sandboxes } from './sandboxes.ts';

/** The platform's tools, the sandbox in which their programs run, and what is kept ready while somebody is present. */
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
  const { libraries, refusal } = opened;
  const { platform: platformLimits, cpus = defaultProfile.cpus } = limits;
  const open = openPlace(config, { blobs, clock, log, scope });
  const sandbox = opened.sandbox && new Sandboxes(opened.sandbox, { open, cpus });
  const web = openWeb(config, clock);
  const own = { sandbox, libraries, refusal, web, limits: platformLimits };
  const platform = platformTools({ ...ports, ...own });
  const executors = new ReadyExecutors(sandbox, config);
  const arrived = () => {
    executors.keep();
    if (works) setImmediate(loadTokenizer);
  };
  const presence = scope.own(new Presence(clock, { arrived, left: () => executors.end() }));
  const agentPorts = { blobs, clock, log, scope };
  const externalAgents = works ? await openAgents(config, agentPorts) : undefined;
  return { sandbox, refusal, platform, executors, presence, externalAgents };
}
