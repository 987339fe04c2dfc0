import { createExternalAgents } from '../../adapters/acp/open-agents.ts';
import { createEgressProxy } from '../../adapters/egress/open-egress.ts';
import { openAgentSandbox } from '../../adapters/process/agent/agent-sandbox.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { isRefusal } from '../../base/refusal.ts';
import type { Scope } from '../../base/scope.ts';
import type { AgentSandbox } from '../../engine/ports/agent-sandbox.ts';
import type { ExternalAgents } from '../../engine/ports/external-agent.ts';
import type { BlobStore } from '../../timeline/ports/blobs.ts';
import type { Config } from '../config/config.ts';

type Parts = {
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly scope: Scope;
};

/** The agent programs of the installation. Undefined: none are installed, or nothing can isolate them. */
export async function openAgents(
  { agentPrograms, dataDir }: Pick<Config, 'agentPrograms' | 'dataDir'>,
  { blobs, clock, log, scope }: Parts,
): Promise<ExternalAgents | undefined> {
  if (!agentPrograms) return undefined;
  const { programs, workspaces } = agentPrograms;
  try {
    const sandbox: AgentSandbox = scope.own(await openAgentSandbox({ log }));
    const egress = createEgressProxy({ log });
    // The users of the sandboxes must reach their workspaces, but not the data directory.
    const root = workspaces ?? `${dataDir}.workspaces`;
    return createExternalAgents({ programs, sandbox, egress, root, blobs, clock, log });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn('agent programs cannot run here', { because: error.message });
    return undefined;
  }
}
