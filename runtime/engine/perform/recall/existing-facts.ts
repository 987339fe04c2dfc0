import { isFault } from '../../../base/fault.ts';
import { isAborted, Work } from '../../../base/signal.ts';
import { agentKey } from '../../agent/visible-agent.ts';
import { factCheckMsMax } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Which of these facts still exist. Undefined: the memory does not answer. */
export async function existingFacts(
  { engine, agent, conversation }: WorkerSession,
  ids: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  if (ids.length === 0) return new Set();
  if (!engine.memory) return undefined;
  const { tenant, project, user } = conversation.lease.row;
  const owner = { tenant, project, user, agent: agentKey(agent) };
  using work = new Work(conversation.signal, { deadlineMs: factCheckMsMax });
  const { signal } = work;
  try {
    return await engine.memory.existing(owner, ids, { signal });
  } catch (error) {
    conversation.signal.throwIfAborted();
    if (!isFault(error) && !isAborted(signal)) throw error;
    engine.log.warn('facts could not be checked', { error });
    return undefined;
  }
}
