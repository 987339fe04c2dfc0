import type { Draft } from '../../timeline/block.ts';
import { openCompaction } from '../../timeline/close/end-compaction.ts';
import { isFullyRecalled, isStop } from '../../timeline/fold/recall.ts';
import { type Seq, toSeq } from '../../timeline/ids.ts';
import { type PruneSettings, planPrune } from '../../timeline/prune/prune.ts';
import type { RoundView, TurnView, View } from '../../timeline/view.ts';
import { modelRetriesMax, takeoversMax } from '../limits.ts';
import {
  type AnswerProfile,
  type AnswerStep,
  answerReason,
  planAbandoned,
  planAnswer,
} from './plan-answer.ts';
import {
  type AskInputs,
  type AskStep,
  type CloseTurnStep,
  isUsedUp,
  planAsk,
  type RunExternalStep,
} from './plan-ask.ts';
import {
  type CompactSettings,
  type CompactStep,
  isOverflow,
  planCompact,
  planOverflow,
} from './plan-compact.ts';
import { type DirectStep, planDirect } from './plan-direct.ts';
import { planQuestion, type SettleQuestionStep } from './plan-question.ts';
import { planRound, type RoundStep } from './plan-round.ts';
import {
  breaksInRow,
  brokenOff,
  endOf,
  handedOver,
  isBrokenOff,
  malformedCode,
  type TurnError,
} from './round-end.ts';
import { endingFailure, type FailurePolicies } from './tool-failure.ts';

/** The next step, derived from the log alone. The engine performs it; this is only data. */
export type Step =
  | { readonly do: 'rest' }
  | { readonly do: 'open_turn' }
  | AskStep
  | DirectStep
  | RunExternalStep
  | RoundStep
  /** The agent has many tools: the ones for this turn are chosen. */
  | { readonly do: 'select_tools' }
  /** Facts of the long-term memory that suit the prompt are looked up. */
  | { readonly do: 'recall_facts' }
  | AnswerStep
  | SettleQuestionStep
  /** The provider's cache is cold: old parts of the prompt may be pruned. */
  | { readonly do: 'prune'; readonly drafts: readonly Draft[] }
  | CompactStep
  /** A compaction whose owner was lost. */
  | { readonly do: 'end_compaction' }
  | CloseTurnStep;

export type PlanInputs = AskInputs &
  FailurePolicies & {
    /** A reactive event waits although no turn is open. */
    readonly unanswered: boolean;
    readonly takeovers: number;
    /** Blocks up to here belong to the original of the fork: what is open in them is closed here and continues there. */
    readonly forkedAt?: Seq;
    /** The agent has more tools than its prompt should show, and none were chosen for this turn. */
    readonly selects?: boolean;
    /** The agent looks up facts before its first round, and has not in this turn. */
    readonly recalls?: boolean;
    /** How the answer is made. Undefined: inline. */
    readonly answer?: AnswerProfile;
    /** What to prune from an old prompt when the cache is cold. Undefined: nothing. */
    readonly prune?: PruneSettings | undefined;
    /** The limit of the prompt. Undefined: unlimited. */
    readonly compact?: CompactSettings | undefined;
  };

export function plan(view: View, inputs: PlanInputs): Step {
  const turn = view.openTurn;
  if (!turn) return inputs.unanswered ? { do: 'open_turn' } : { do: 'rest' };
  const round = turn.rounds.at(-1);
  const lost = Math.max(inputs.takeovers, lostRounds(turn));
  if (lost > takeoversMax) return abandon(turn, view.head);
  if (openCompaction(turn)) return { do: 'end_compaction' };
  const inherited = closeInherited(turn, inputs);
  if (inherited) return inherited;
  if (round && !round.closed) return planRound(turn, round, inputs);
  if (!round && isFullyRecalled(view)) {
    return { do: 'close_turn', reason: 'interrupted', asOf: view.head };
  }
  const next = betweenRounds(turn, round, { ...inputs, head: view.head });
  return next.do === 'ask' ? (beforeAsk(view, next, inputs) ?? next) : next;
}

/** A turn of the original of a fork goes on there; in the fork it ends, unless a person let it go on here. */
function closeInherited(
  { openSeq, resumed }: TurnView,
  { forkedAt = toSeq(0) }: Pick<PlanInputs, 'forkedAt'>,
): CloseTurnStep | undefined {
  if (Math.max(openSeq, resumed?.seq ?? 0) > forkedAt) return undefined;
  return { do: 'close_turn', reason: 'interrupted', asOf: forkedAt };
}

function abandon(turn: TurnView, head: Seq): Step {
  return planAbandoned(turn) ?? failTurn(turn, { error: abandoned, head });
}

/**
 * Steps that must come before the prompt. Each of them changes the view, so that the next plan continues from there.
 */
function beforeAsk(
  view: View,
  { phase, round }: AskStep,
  { now, prune: settings, compact, selects, recalls }: PlanInputs,
): Step | undefined {
  if (phase === 'decision' && round === 1) {
    if (recalls) return { do: 'recall_facts' };
    if (selects) return { do: 'select_tools' };
  }
  const drafts = settings && planPrune(view, { now, settings });
  if (drafts) return { do: 'prune', drafts };
  return compact && planCompact(view, compact);
}

/**
 * The end of a turn that cannot continue. Events that no round has seen get a turn of their own, unless the user
 * stopped everything.
 */
export function failTurn(
  turn: TurnView,
  { error, head }: { error: TurnError; head: Seq },
): CloseTurnStep {
  return (
    stopStep(turn) ?? { do: 'close_turn', reason: 'failed', error, asOf: lastSeenSeq(turn) ?? head }
  );
}

/** A stop that no round has seen ends everything before it. */
function stopStep(turn: TurnView): CloseTurnStep | undefined {
  const seen = lastSeenSeq(turn) ?? 0;
  const stop = turn.events.findLast((event) => event.seq > seen && isStop(event));
  return stop && { do: 'close_turn', reason: 'interrupted', asOf: stop.seq };
}

/** Seq of the last block that a model has seen. Undefined before the first round. */
function lastSeenSeq({ rounds }: TurnView): Seq | undefined {
  return rounds.at(-1)?.asOf;
}

/** Rounds in a row, up to the last one that ended, whose owner was lost during the model call. */
function lostRounds(turn: TurnView): number {
  const ended = turn.rounds.filter(({ closed }) => closed);
  const kept = ended.findLastIndex((round) => round.modelCall !== undefined || !wasLost(round));
  return ended.length - 1 - kept;
}

function wasLost(round: RoundView): boolean {
  const end = endOf(round);
  return end?.outcome === 'interrupted' && end.cause !== handedOver && end.cause !== brokenOff;
}

function betweenRounds(
  turn: TurnView,
  last: RoundView | undefined,
  inputs: PlanInputs & { head: Seq },
): Step {
  const seen = last?.asOf ?? 0;
  const stop = stopStep(turn);
  if (stop) return stop;
  const direct = planDirect(turn, last);
  if (direct) return direct;
  const question = planQuestion(turn, inputs);
  if (question) return question;
  const ended = last && endOf(last);
  const answer = planAnswer(turn, { isSpent: isUsedUp(turn, inputs), head: inputs.head });
  if (answer) return answer;
  const failed = last && afterFailure(turn, last, inputs);
  if (failed) return failed;
  const fresh = turn.events.some((event) => event.seq > seen);
  if (ended?.outcome === 'answered' && !fresh) {
    return { do: 'close_turn', reason: answerReason(turn), asOf: inputs.head };
  }
  const failure = last && endingFailure(last, inputs);
  if (failure) return { do: 'close_turn', reason: 'failed', error: failure, asOf: toSeq(seen) };
  return planAsk(turn, inputs);
}

/** A failed round ends its turn; one whose prompt was too large is retried once with a smaller prompt. */
function afterFailure(turn: TurnView, last: RoundView, { compact }: PlanInputs): Step | undefined {
  const error = endOf(last)?.error;
  const more = error && compact && isOverflow(last) ? planOverflow(turn) : undefined;
  const again = isBrokenOff(last) && breaksInRow(turn) <= modelRetriesMax;
  if (!error || more === 'retry' || again) return undefined;
  if (!more && isFailedFinish(turn, error)) {
    return { do: 'close_turn', reason: 'exhausted', asOf: last.asOf, unanswered: true };
  }
  return more ?? { do: 'close_turn', reason: 'failed', error, asOf: last.asOf };
}

/** The finalizing call of a spent budget failed: the turn ends as it would have without that call. */
function isFailedFinish(turn: TurnView, { code }: TurnError): boolean {
  const isFinish = turn.rounds.length > 1 && answerReason(turn) === 'exhausted';
  return isFinish && code.startsWith('MODEL_') && code !== malformedCode;
}

const abandoned: TurnError = {
  code: 'TURN_ABANDONED',
  message:
    'The work on this turn was interrupted several times and has been given up. Please send it again.',
};
