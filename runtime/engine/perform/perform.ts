import { unreachable } from '../../base/assert.ts';
import type { Step } from '../plan/plan.ts';
import type { WorkerSession } from '../session/session.ts';
import { writeAnswer } from './answer/write-answer.ts';
import { askModel } from './ask/ask.ts';
import { settleQuestion } from './ask/ask-spending.ts';
import { openDirectRound } from './call/direct-round.ts';
import { escalateFailure, settleEscalation } from './call/escalate-failure.ts';
import { resumeCall } from './call/resume-call.ts';
import { runCalls } from './call/run-calls.ts';
import { closeRound, closeTurn, openTurn } from './close/close-turn.ts';
import { completeTurn } from './close/complete-turn.ts';
import { appendPruning, compact, endLostCompaction } from './compact/compact.ts';
import { performExternal } from './external/perform-external.ts';
import { prepareTurn } from './prepare-turn.ts';

/** Performs one step. Each step appends its outcome; intents are appended before their effects. */
export function perform(
  session: WorkerSession,
  step: Exclude<Step, { do: 'rest' | 'park' | 'poll_delegate' | 'poll_plan' }>,
): Promise<void> {
  switch (step.do) {
    case 'open_turn':
      return openTurn(session);
    case 'ask':
      return askModel(session, step);
    case 'open_direct':
      return openDirectRound(session, step);
    case 'run_external':
    case 'recover_external':
      return performExternal(session, step);
    case 'recall_facts':
    case 'select_tools':
      return prepareTurn(session, step.do);
    case 'answer':
      return writeAnswer(session, step);
    case 'run_calls':
      return runCalls(session, step);
    case 'resume':
      return resumeCall(session, step);
    case 'escalate':
      return escalateFailure(session, step);
    case 'settle_question':
      return settleQuestion(session, step);
    case 'settle_escalation':
      return settleEscalation(session, step);
    case 'complete':
      return completeTurn(session, step.action);
    case 'prune':
      return appendPruning(session, step);
    case 'compact':
      return compact(session, step);
    case 'end_compaction':
      return endLostCompaction(session);
    case 'close_round':
      return closeRound(session, step.outcome);
    case 'close_turn':
      return closeTurn(session, step);
    default:
      return unreachable(step);
  }
}
