import type { Json, JsonObject } from '../../../base/json.ts';
import type { DataOf } from '../../../timeline/catalogue/catalogue.ts';
import type { WorkerSession } from '../../session/session.ts';
import { agentRef } from './agent-ref.ts';
import { type ChildConversation, openChild } from './child-conversation.ts';
import { budgetLeft, toDelegated } from './delegate.ts';

/** The conversation in which the agent of a delegated call works, with what is left of the caller's budget. */
export function openDelegate(
  session: WorkerSession,
  { call, agent, input, rounds }: DataOf<'agent.call'>,
): Promise<ChildConversation | undefined> {
  const left = budgetLeft(session);
  const lent = { ...left, rounds: Math.min(rounds ?? left.rounds, left.rounds) };
  return openChild(session, {
    work: { call },
    agent: agentRef(agent, session.agent),
    text: promptOf(input),
    delegated: toDelegated(session, { call }, lent),
  });
}

/** A single text is used as it is, anything else as JSON. */
function promptOf(input: JsonObject): string {
  const values: readonly Json[] = Object.values(input);
  const [only] = values;
  const text = values.length === 1 && typeof only === 'string' ? only : '';
  return (text.trim() === '' ? JSON.stringify(input, null, 2) : text).toWellFormed();
}
