import { invariant } from '../../base/assert.ts';
import { stepsPerSessionMax } from '../limits.ts';
import { parkTurn } from '../perform/call/park-turn.ts';
import { pollDelegate } from '../perform/call/poll-delegate.ts';
import { perform } from '../perform/perform.ts';
import { pollPlan } from '../perform/steps/poll-plan.ts';
import { plan, type Step } from '../plan/plan.ts';
import type { PollPlanStep, PollStep } from '../plan/plan-call.ts';
import type { WorkerSession } from '../session/session.ts';

/** One session on a conversation: fold, plan, perform, append, until the plan says `rest`. */
export async function runTurn(session: WorkerSession): Promise<void> {
  for (let step = 0; step < stepsPerSessionMax; step += 1) {
    const view = await session.conversation.refresh();
    await session.openNamedModel();
    const next = plan(view, session.planInputs());
    if (next.do === 'rest') return;
    if (next.do === 'park') return parkTurn(session, next);
    if (isPoll(next)) {
      if ((await poll(session, next)) === 'working') return;
    } else await perform(session, next);
  }
  invariant(false, `a session must end within ${stepsPerSessionMax} steps`);
}

type Poll = PollStep | PollPlanStep;

function isPoll(step: Step): step is Poll {
  return step.do === 'poll_delegate' || step.do === 'poll_plan';
}

function poll(session: WorkerSession, step: Poll): Promise<'working' | 'ended'> {
  return step.do === 'poll_plan' ? pollPlan(session, step) : pollDelegate(session, step);
}
