import type { Protocol } from '../../../channels/protocol/reply-piece.ts';
import type { ReplyRules } from '../../../channels/reply/read-reply.ts';
import { actionRules } from '../../agent/multi-action.ts';
import { holdsAnswers } from '../../plan/plan-answer.ts';
import type { WorkerSession } from '../../session/session.ts';

/** The rules of the next reply: where another call may write the answer, this one is not shown. */
export function roundRules({ turn, agent }: WorkerSession, protocol: Protocol): ReplyRules {
  const rules = { ...actionRules(agent.whole, protocol), protocol };
  return holdsAnswers(turn, agent.answer) ? { ...rules, answersHeld: true } : rules;
}
