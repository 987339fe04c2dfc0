import { invariant, unreachable } from '../base/assert.ts';
import { act } from './act.ts';
import { ask } from './ask.ts';
import { attend } from './attend.ts';
import { closeRound, closeTurn, openTurn } from './close.ts';
import { compact, endLostCompaction } from './compact.ts';
import { complete } from './complete.ts';
import { stepsPerVisitMax } from './limits.ts';
import { park } from './park.ts';
import { plan, type Step } from './plan.ts';
import { prune } from './prune.ts';
import { resume } from './resume.ts';
import type { Visit } from './visit.ts';

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

/** Each step appends what came of it; intents are appended before their effects. */
function perform(
  visit: Visit,
  step: Exclude<Step, { do: 'rest' | 'park' | 'attend' }>,
): Promise<void> {
  switch (step.do) {
    case 'open_turn':
      return openTurn(visit);
    case 'ask':
      return ask(visit, step);
    case 'act':
      return act(visit, step);
    case 'resume':
      return resume(visit, step);
    case 'complete':
      return complete(visit, step.action);
    case 'prune':
      return prune(visit, step);
    case 'compact':
      return compact(visit, step);
    case 'end_compaction':
      return endLostCompaction(visit);
    case 'close_round':
      return closeRound(visit, step.outcome);
    case 'close_turn':
      return closeTurn(visit, step);
    default:
      return unreachable(step);
  }
}
