import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import type { ApprovalOutcome } from '../../timeline/close/close-turn.ts';
import { approvalWait, type Wait } from '../../timeline/close/waits.ts';
import type { ApprovalView, TurnView } from '../../timeline/view.ts';

export type DecidedOutcome = NonNullable<ApprovalOutcome['outcome']>;
export type ParkStep = { readonly do: 'park'; readonly untilMs: number };
/** The user has decided about a question of the turn, or did not in time. */
export type SettleQuestionStep = {
  readonly do: 'settle_question';
  readonly approval: ApprovalView;
  readonly outcome: DecidedOutcome;
};

/** Undefined: the turn has no open question to its user. Other events wait for the decision; a stop ends the turn. */
export function planQuestion(
  { approvals }: TurnView,
  { now }: { readonly now: number },
): SettleQuestionStep | ParkStep | undefined {
  const approval = approvals.at(-1);
  const wait = approval && approvalWait(approval);
  if (!wait) return undefined;
  const outcome = decidedOutcome(wait, { now });
  return outcome
    ? { do: 'settle_question', approval, outcome }
    : { do: 'park', untilMs: wait.untilMs };
}

/** Undefined: nobody has decided yet. The order of the log decides between a decision and a steer. */
export function decidedOutcome(
  { answer, untilMs }: Wait,
  { steer, now }: { readonly steer?: Block | undefined; readonly now: number },
): DecidedOutcome | undefined {
  if (answer && answer.seq < (steer?.seq ?? Number.POSITIVE_INFINITY)) {
    return dataOf('approval.decision', answer)?.allow ? 'allowed' : 'denied';
  }
  if (steer) return 'interrupted';
  return now > untilMs ? 'expired' : undefined;
}
