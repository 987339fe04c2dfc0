import { invariant } from '../../base/assert.ts';
import { stepsPerVisitMax } from '../limits.ts';
import { park } from '../perform/call/park-turn.ts';
import { attend } from '../perform/call/poll-delegate.ts';
import { perform } from '../perform/perform.ts';
import { plan } from '../plan/plan.ts';
import type { Visit } from '../session/session.ts';

/** One visit to a conversation: fold, plan, perform, append, until the plan says rest. */
export async function runTurn(visit: Visit): Promise<void> {
  for (let step = 0; step < stepsPerVisitMax; step += 1) {
    const view = await visit.owned.refresh();
    const next = plan(view, visit.planInputs());
    if (next.do === 'rest') return;
    if (next.do === 'park') return park(visit, next);
    if (next.do !== 'attend') await perform(visit, next);
    else if ((await attend(visit, next)) === 'working') return;
  }
  invariant(false, `a visit rests within ${stepsPerVisitMax} steps`);
}
