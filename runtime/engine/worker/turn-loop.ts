import { invariant } from '../../base/assert.ts';
import { stepsPerSessionMax } from '../limits.ts';
import { parkTurn } from '../perform/call/park-turn.ts';
import { pollDelegate } from '../perform/call/poll-delegate.ts';
import { perform } from '../perform/perform.ts';
import { plan } from '../plan/plan.ts';
import type { WorkerSession } from '../session/session.ts';

/** One session on a conversation: fold, plan, perform, append, until the plan says `rest`. */
export async function runTurn(session: WorkerSession): Promise<void> {
  for (let step = 0; step < stepsPerSessionMax; step += 1) {
    const view = await session.conversation.refresh();
    const next = plan(view, session.planInputs());
    if (next.do === 'rest') return;
    if (next.do === 'park') return parkTurn(session, next);
    if (next.do !== 'poll_delegate') await perform(session, next);
    else if ((await pollDelegate(session, next)) === 'working') return;
  }
  invariant(false, `a session must end within ${stepsPerSessionMax} steps`);
}
