import { approvalWait } from '../../timeline/close/waits.ts';
import { externalPhase } from '../../timeline/prompt-rounds.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';
import { firstSteer } from './plan-call.ts';
import { decidedOutcome, type ParkStep } from './plan-question.ts';

/** A round of an agent program whose owner was lost, or which waited too long for a decision. */
export type RecoverStep = { readonly do: 'recover_external' };
/**
 * Undefined: the round is not one of an agent program, or its program has finished. Otherwise no program runs any more: an
 * open approval is still awaited, then the round is ended and another one continues the work.
 */
export function planExternalRound(
  turn: TurnView,
  round: RoundView,
  { now }: { readonly now: number },
): RecoverStep | ParkStep | undefined {
  if (round.phase !== externalPhase || round.modelCall) return undefined;
  const steer = firstSteer(turn, round);
  const waits = round.calls.flatMap(({ approval }) => (approval && approvalWait(approval)) ?? []);
  const open = waits.filter((wait) => decidedOutcome(wait, { steer, now }) === undefined);
  if (open.length === 0) return { do: 'recover_external' };
  return { do: 'park', untilMs: Math.min(...open.map(({ untilMs }) => untilMs)) };
}
