import { isFault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { assertRoom } from '../../engine/agent/prompt-room.ts';
import { callModel } from '../../engine/model/internal-call.ts';
import { accountBudget } from '../../engine/spending/account-budget.ts';
import type { Spending } from '../../engine/spending/spending.ts';
import type { BundleEvents, BundleHost, JobQueue } from '../../sdk/compile/host/bundle-host.ts';
import type { KeyValueStore } from '../../sdk/compile/host/key-value-store.ts';
import type { ToolServers } from '../../sdk/compile/host/tool-servers.ts';
import type { AgentSettings } from '../../sdk/contract/agent-settings.ts';
import type { Config } from '../config/config.ts';
import { unpricedIn } from '../models/model-choice.ts';
import type { Models } from '../models/models.ts';
import { withoutServers } from './open-tool-servers.ts';
import { createRepositories } from './repositories.ts';

export type HostResources = {
  readonly log: Log;
  readonly models: Models;
  /** Storage behind `ctx.storage`. */
  readonly storage: KeyValueStore;
  /** Absent: the bundle does not run here. */
  readonly secret?: BundleHost['secret'] | undefined;
  readonly servers?: ToolServers | undefined;
  /** Ends downloads of repositories. Absent: nothing is downloaded here. */
  readonly signal?: AbortSignal;
  readonly post?: BundleEvents | undefined;
  readonly jobs?: JobQueue | undefined;
  /** Limits for users and tenants; absent: none. */
  readonly spending?: Spending | undefined;
  /** MCP servers of the bundle that are disabled. */
  readonly disabledServers: readonly string[];
};

/** For live changes only: at the start, `assertRooms` reports the same problem as a fault. */
function promptProblems(agent: AgentSettings): readonly string[] {
  try {
    assertRoom(agent);
    return [];
  } catch (error) {
    if (!isFault(error)) throw error;
    return [error.message];
  }
}

/** The program of an agent must be installed where the bundle is served, and the operator must allow the hosts that it names. */
function programProblems({ agentPrograms }: Config, { id, external }: AgentSettings) {
  if (!external) return [];
  const { program, egress } = external;
  const { programs = {} } = agentPrograms ?? {};
  const installed = Object.hasOwn(programs, program) ? programs[program] : undefined;
  const say = (problem: string) => `agent “${id}”: ${problem}`;
  if (!installed)
    return [say(`program “${program}” is not configured under agents in assembly.yaml`)];
  const { hosts } = installed.egress;
  return egress
    .filter((host) => !hosts.includes(host))
    .map((host) =>
      say(`egress “${host}” is not in hosts of program “${program}” in assembly.yaml`),
    );
}

const unset: BundleHost['secret'] = async () => undefined;

/** The services that this installation provides to a bundle. */
export function createBundleHost(config: Config, resources: HostResources): BundleHost {
  const {
    log,
    models,
    storage,
    secret = unset,
    servers,
    signal,
    post,
    jobs,
    spending,
    disabledServers,
  } = resources;
  return {
    tenant: config.tenant,
    project: config.project,
    log,
    ...(signal ? { repository: createRepositories(config, { log, signal }) } : {}),
    ...(post ? { events: post } : {}),
    ...(jobs ? { jobs } : {}),
    fetch: globalThis.fetch,
    ...(servers ? { servers: withoutServers(servers, disabledServers) } : {}),
    storage,
    check: (agent, { live }) => [
      ...(agent.external ? programProblems(config, agent) : unpricedIn(config, agent)),
      ...(live ? promptProblems(agent) : []),
    ],
    secret,
    generate: (request, { ids, signal, budget }) => {
      // A turn charges its user and tenant itself.
      const payer = budget ?? (spending && accountBudget(spending, ids));
      return callModel(models.for(ids, request.role), request, { signal, budget: payer });
    },
  };
}
