import { Fault } from '../../../base/fault.ts';
import { agentKey } from '../../agent/visible-agent.ts';
import type { ExternalAgent } from '../../ports/external-agent.ts';
import type { WorkerSession } from '../../session/session.ts';

type Waits = { readonly signal: AbortSignal };

/** The program of the turn's agent: the one that runs since an earlier round of this session, or a new one. */
export async function openProgram(
  session: WorkerSession,
  { signal }: Waits,
): Promise<{ readonly program: ExternalAgent; readonly isStarted: boolean }> {
  const { agent, engine, conversation } = session;
  const key = agentKey(agent);
  const { external: program } = agent;
  if (session.external?.agent === key) {
    return { program: session.external.running, isStarted: false };
  }
  if (!engine.externalAgents || !program) {
    throw new Fault('AGENT_UNAVAILABLE', { because: `program ${program?.program ?? 'unknown'}` });
  }
  conversation.assertOwner();
  const { tenant, key: conversationKey } = conversation.lease.row;
  const place = { tenant, key: conversationKey, agent: key, program };
  const running = await engine.externalAgents.open(place, { signal });
  session.external = { agent: key, running };
  return { program: running, isStarted: true };
}
