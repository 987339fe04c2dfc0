import { isFault } from '../../../base/fault.ts';
import type { Json } from '../../../base/json.ts';
import { isAborted, Work } from '../../../base/signal.ts';
import type { Fact } from '../../../tools/ports/long-term-memory.ts';
import { agentKey } from '../../agent/visible-agent.ts';
import { recallMsMax, recallQueryCharsMax } from '../../limits.ts';
import type { WorkerSession } from '../../session/session.ts';
import { planRecording } from './plan-recording.ts';

/**
 * Looks up facts of the long-term memory before the first round of a turn. Without an answer in time the turn goes on
 * without them.
 */
export async function recallFacts(session: WorkerSession): Promise<void> {
  const { turn, conversation } = session;
  const { head } = conversation.view;
  await planRecording(session);
  const { facts, failed } = await lookUp(session);
  const data = { facts: facts.map(toJson), ...(failed === undefined ? {} : { failed }) };
  const block = { type: 'memory.recalled', turn: turn.id, author: 'system', data } as const;
  // An event that arrived since then belongs in the question, or out of it: plan again.
  await conversation.append([block], { expectHead: head });
}

type Recall = { readonly facts: readonly Fact[]; readonly failed?: string };

async function lookUp(session: WorkerSession): Promise<Recall> {
  const { engine, agent, conversation, turn } = session;
  const { tenant, project, user } = conversation.lease.row;
  const { scopes, limit } = agent.memory;
  const said = turn.events.flatMap(({ text = '' }) => text);
  const text = said.join('\n').slice(-recallQueryCharsMax).toWellFormed().trim();
  if (!engine.memory || text === '') return { facts: [] };
  const owner = { tenant, project, user, agent: agentKey(agent) };
  using work = new Work(conversation.signal, { deadlineMs: recallMsMax });
  const { signal } = work;
  try {
    return { facts: await engine.memory.retrieve({ owner, scopes, text, limit }, { signal }) };
  } catch (error) {
    conversation.signal.throwIfAborted();
    if (!isFault(error) && !isAborted(signal)) throw error;
    engine.log.warn('facts could not be looked up', { turn: turn.id, error });
    return { facts: [], failed: isFault(error) ? error.code : 'MEMORY_UNAVAILABLE' };
  }
}

function toJson({ id, text, scope, at }: Fact): Json {
  return { id, text, scope, at };
}
