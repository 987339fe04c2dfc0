import type { ActionRules } from '../../../channels/reply/rules.ts';
import { actionRules } from '../../agent/multi-action.ts';
import { holdsAnswers } from '../../plan/plan-answer.ts';
import type { WorkerSession } from '../../session/session.ts';

/** The rules of the next reply: where another call may write the answer, this one is not shown. */
export function roundRules({ turn, agent }: WorkerSession): ActionRules {
  const rules = actionRules(agent.whole, 'channels');
  return holdsAnswers(turn, agent.answer) ? { ...rules, answersHeld: true } : rules;
}
