import { createExternalAgents } from '../../adapters/acp/open-agents.ts';
import { openWorkspaceReaper } from '../../adapters/acp/workspace/remove-unused.ts';
import { openDockerAgentSandbox } from '../../adapters/docker/agent/agent-sandbox.ts';
import { createEgressProxy } from '../../adapters/egress/open-egress.ts';
import { openAgentSandbox } from '../../adapters/process/agent/agent-sandbox.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { Scope } from '../../base/scope.ts';
import type { AgentSandbox } from '../../engine/ports/agent-sandbox.ts';
import type { ExternalAgents } from '../../engine/ports/external-agent.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { AgentPrograms } from '../config/agents/agent-programs.ts';
import type { Config } from '../config/config.ts';

type Parts = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly scope: Scope;
};

/** The agent programs of the installation. Undefined: none are installed, or nothing can isolate them. */
export async function openAgents(
  { agentPrograms, dataDir, dockerHost }: Pick<Config, 'agentPrograms' | 'dataDir' | 'dockerHost'>,
  { blobs, clock, log, scope }: Parts,
): Promise<ExternalAgents | undefined> {
  if (!agentPrograms) return undefined;
  const { programs, keepDays } = agentPrograms;
  try {
    const sandbox = scope.own(await openAgentPlace(agentPrograms, { dockerHost, clock, log }));
    const egress = createEgressProxy({ log });
    const root = workspacesOf(agentPrograms, dataDir);
    const agents = { programs, sandbox, egress, root, blobs, clock, log };
    scope.own(openWorkspaceReaper(root, { keepDays, clock, log }));
    return createExternalAgents(agents);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn('agent programs cannot run here', { because: error.message });
    return undefined;
  }
}

/** What isolates the programs, as the operator has chosen; nothing takes its place. Refusals `sandbox_missing`, `docker_missing`. */
export function openAgentPlace(
  { mode, image }: AgentPrograms,
  { dockerHost, clock, log }: Pick<Parts, 'clock' | 'log'> & Pick<Config, 'dockerHost'>,
): Promise<AgentSandbox> {
  if (mode === 'process') return openAgentSandbox({ log });
  return openDockerAgentSandbox({ dockerHost, image, clock, log });
}

/** The users of the sandboxes must reach their workspaces, but not the data directory. */
export function workspacesOf({ workspaces }: AgentPrograms, dataDir: string): string {
  return workspaces ?? `${dataDir}.workspaces`;
}
