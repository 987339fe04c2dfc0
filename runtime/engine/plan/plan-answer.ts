import { isJsonObject } from '../../base/json.ts';
import type { Block } from '../../timeline/block.ts';
import type { Seq } from '../../timeline/ids.ts';
import { answerPhase, promptsConversation } from '../../timeline/prompt-rounds.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';
import { autoAnswerChars, autoAnswerResultsMin, modelRetriesMax } from '../limits.ts';
import { actionsOf, type FinalAction } from './actions.ts';
import type { CloseTurnStep } from './plan-ask.ts';
import { breaksInRow, endOf, isBrokenOff } from './round-end.ts';

/** How the answer of a turn is made: by the round that completes, by one more call, or as the turn requires. */
export type AnswerProfile = 'inline' | 'synthesize' | 'auto';

/** One more model call whose whole text is the answer. */
export type AnswerStep = { readonly do: 'answer'; readonly round: number };

type DeliverStep = { readonly do: 'complete'; readonly action: FinalAction };

/** The outcome of a round whose inline answer was kept on the log and shown to no one. */
const readyOutcome = 'ready';
export type ReadyStep = { readonly do: 'close_round'; readonly outcome: typeof readyOutcome };

/**
 * Whether the answers of the next round of the turn are held back because another call may write the one that people read. Depends on nothing in
 * that round, so that the rules of a reply are known before it is written.
 */
export function holdsAnswers(turn: TurnView, profile: AnswerProfile): boolean {
  if (profile !== 'auto') return profile === 'synthesize';
  return resultsOf(turn) >= autoAnswerResultsMin;
}

type Ending = {
  readonly round: RoundView;
  readonly action: FinalAction;
  readonly profile: AnswerProfile;
};

/** After a round that completes: its answer is delivered, or held back because another call writes one. */
export function planEnd(turn: TurnView, ending: Ending): ReadyStep | DeliverStep {
  if (isHeldBack(turn, ending)) return { do: 'close_round', outcome: readyOutcome };
  return { do: 'complete', action: ending.action };
}

function isHeldBack(turn: TurnView, { round, action, profile }: Ending): boolean {
  const { kind, answer, degraded } = action;
  if (kind !== 'complete' || answer === undefined || round.phase === answerPhase) return false;
  if (!holdsAnswers(turn, profile)) return false;
  return profile === 'synthesize' || degraded || answer.length < autoAnswerChars;
}

/**
 * The answer that a completed turn still lacks. Undefined: no answer was held back, an event arrived that no model has seen,
 * or a rule refused the answer for good. An inline answer that is delivered after all is marked as degraded.
 */
export function planAnswer(
  turn: TurnView,
  { isSpent, head }: { readonly isSpent: boolean; readonly head: Seq },
): AnswerStep | DeliverStep | CloseTurnStep | undefined {
  const inline = openInlineAnswer(turn);
  const last = turn.rounds.at(-1);
  if (!last || !inline) return undefined;
  const { outcome, error } = endOf(last) ?? {};
  if (outcome === 'answered' || error?.code === 'COMPLETION_REFUSED') return undefined;
  if (isDelivered(turn, last)) {
    return { do: 'close_turn', reason: answerReason(turn), asOf: head };
  }
  const isRetried = isBrokenOff(last) && breaksInRow(turn) <= modelRetriesMax;
  const isLost = last.phase === answerPhase && error !== undefined && !isRetried;
  if (isLost || isSpent) return { do: 'complete', action: inline };
  return { do: 'answer', round: turn.rounds.length + 1 };
}

/** A turn whose owners were lost again and again is given up, but not without its inline answer. */
export function planAbandoned(turn: TurnView): DeliverStep | undefined {
  const last = turn.rounds.at(-1);
  const inline = openInlineAnswer(turn);
  return last && inline && !isDelivered(turn, last)
    ? { do: 'complete', action: inline }
    : undefined;
}

/** An answer that was forced by a spent budget is marked as such. */
export function answerReason({ rounds }: TurnView): 'completed' | 'exhausted' {
  const round = rounds.findLast(promptsConversation);
  const data = round?.blocks[0]?.data;
  const cause = isJsonObject(data) ? data['cause'] : undefined;
  return round?.phase === 'finalize' && cause !== 'steer' ? 'exhausted' : 'completed';
}

/** The inline answer of the last round that did not write it itself, unless an event arrived since. */
function openInlineAnswer({ rounds, events }: TurnView): FinalAction | undefined {
  const round = rounds.findLast(promptsConversation);
  const seen = rounds.at(-1)?.asOf ?? 0;
  if (!round?.modelCall || endOf(round)?.outcome !== readyOutcome) return undefined;
  if (events.some(({ seq }) => seq > seen)) return undefined;
  return inlineAnswerIn(round.modelCall);
}

/** What the completing round decided, to be delivered or to be taken over by the answer. */
export function inlineAnswerIn(modelCall: Block): FinalAction | undefined {
  const action = actionsOf(modelCall).find((each) => each.kind !== 'call_tool');
  return action && { ...action, degraded: true };
}

/** The inline answer was delivered, but an event kept the turn open and was recalled since. */
function isDelivered({ completions }: TurnView, { blocks: [opened] }: RoundView): boolean {
  const since = opened?.seq ?? 0;
  return completions.some(({ seq, meta }) => seq > since && meta['interrupted'] !== true);
}

function resultsOf({ rounds }: TurnView): number {
  const calls = rounds.filter(({ closed }) => closed).flatMap((round) => round.calls);
  return calls.filter(({ result }) => isJsonObject(result?.data) && result.data['ok'] === true)
    .length;
}
