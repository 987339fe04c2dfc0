import { escalationOf } from '../../timeline/close/waits.ts';
import type { CallView, RoundView, TurnView } from '../../timeline/view.ts';
import { firstSteer } from './plan-call.ts';
import { type DecidedOutcome, decidedOutcome, type ParkStep } from './plan-question.ts';
import { type FailurePolicies, needsDecision } from './tool-failure.ts';

/** A person is asked whether the turn goes on after a failed call. */
export type EscalateStep = { readonly do: 'escalate'; readonly call: CallView };
export type SettleEscalationStep = {
  readonly do: 'settle_escalation';
  readonly call: CallView;
  readonly outcome: DecidedOutcome;
};

type EscalationInputs = FailurePolicies & { readonly now: number };

/** Undefined: the call did not fail, its failure needs no decision, or it was decided. */
export function planEscalation(
  turn: TurnView,
  { round, call }: { round: RoundView; call: string },
  inputs: EscalationInputs,
): EscalateStep | SettleEscalationStep | ParkStep | undefined {
  const failed = round.calls.find((each) => each.call === call);
  if (!failed || !needsDecision(failed, inputs)) return undefined;
  const steer = firstSteer(turn, round);
  // A steer says how to go on: nobody needs to be asked.
  if (!failed.escalation) return steer ? undefined : { do: 'escalate', call: failed };
  const wait = escalationOf(failed);
  if (!wait) return undefined;
  const outcome = decidedOutcome(wait, { steer, now: inputs.now });
  return outcome
    ? { do: 'settle_escalation', call: failed, outcome }
    : { do: 'park', untilMs: wait.untilMs };
}
