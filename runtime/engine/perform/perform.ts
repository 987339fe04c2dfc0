import { unreachable } from '../../base/assert.ts';
import type { Step } from '../plan/plan.ts';
import type { Visit } from '../session/session.ts';
import { ask } from './ask/ask.ts';
import { resume } from './call/resume-call.ts';
import { act } from './call/run-calls.ts';
import { closeRound, closeTurn, openTurn } from './close/close-turn.ts';
import { complete } from './close/complete-turn.ts';
import { prune } from './compact/append-pruning.ts';
import { compact, endLostCompaction } from './compact/compact.ts';

/** Each step appends what came of it; intents are appended before their effects. */
export function perform(
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
