import { planRunOf } from '../../../timeline/delegation/plan-steps.ts';
import type { CallView } from '../../../timeline/view.ts';
import type { WorkerSession } from '../../session/session.ts';
import { type ChildWork, stopChild } from './child-conversation.ts';

/** Stops every agent that works for the open turn. */
export async function stopChildren(session: WorkerSession): Promise<void> {
  const calls = session.turn.rounds.at(-1)?.calls ?? [];
  for (const work of calls.flatMap(childrenOf)) await stopChild(session, work);
}

function childrenOf({ call, delegated, plan, result }: CallView): readonly ChildWork[] {
  if (result) return [];
  if (!plan) return delegated ? [{ call }] : [];
  const running = planRunOf(plan).steps.filter((step) => step.started && !step.result);
  return running.map(({ step }) => ({ call, step: step.id }));
}
