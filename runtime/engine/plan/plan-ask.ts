import type { CloseReason } from '../../timeline/block.ts';
import type { Seq } from '../../timeline/ids.ts';
import { promptsConversation } from '../../timeline/prompt-rounds.ts';
import type { TurnView } from '../../timeline/view.ts';
import { finalizeRoundsMax } from '../limits.ts';
import { isSpent, leftMs } from './budget.ts';
import { hasGrace, mustComplete } from './output-grace.ts';
import { isOverflow } from './plan-compact.ts';
import { isRepetition } from './repetition.ts';
import { type RoundBudget, roundBudget } from './round-budget.ts';
import { isBrokenOff, type TurnError } from './round-end.ts';
import { spendRefusal } from './spend-refusal.ts';
import { steeredRounds } from './steered-rounds.ts';

export type Phase = 'decision' | 'finalize';
/** Why only control tools run: a steer, a spent budget, or a repeated call. */
type FinalizeCause = 'steer' | 'budget' | 'repetition';
/** The error code of a call that this phase refuses. */
export const finalizeCode = 'finalize_phase';

export type AskStep = {
  readonly do: 'ask';
  readonly round: number;
  readonly phase: Phase;
  readonly budget: RoundBudget;
  /** In the phase `finalize`. */
  readonly cause?: FinalizeCause;
  /** After a steer: the rounds that follow this one if the model plans work in it. Absent: none. */
  readonly resumable?: number;
  /** The model must give its structured output now. */
  readonly mustComplete?: true;
};

/** The agent program works on everything that has arrived since its last round. */
export type RunExternalStep = { readonly do: 'run_external'; readonly round: number };

export type CloseTurnStep = {
  readonly do: 'close_turn';
  readonly reason: CloseReason;
  readonly error?: TurnError;
  /** Later events are not answered by this turn and open another one. */
  readonly asOf: Seq;
  /** No round is left for an answer: if there was none, the steps of the turn replace it. */
  readonly unanswered?: true;
};

export type AskInputs = {
  readonly roundsMax: number;
  readonly wallMs: number;
  readonly now: number;
  /** Input and output of every model call of the turn. Undefined: unlimited. */
  readonly tokensMax?: number | undefined;
  readonly costUsdMax?: number | undefined;
  /** After a spent budget: one finalizing call, or none. */
  readonly exhausted: 'finalize' | 'close';
  /** After a steer: a few rounds of control tools until the model plans work, or all remaining rounds. Undefined: `finalize`. */
  readonly steer?: 'finalize' | 'redirect';
  /** The agent must give a structured output. */
  readonly needsOutput?: boolean;
  /** An agent program outside this runtime works on the turn. */
  readonly isExternal?: boolean;
};

/** Another round, or the end of the turn if none is left. `head`: of the log. */
export function planAsk(
  turn: TurnView,
  inputs: AskInputs & { head: Seq },
): AskStep | RunExternalStep | CloseTurnStep {
  return inputs.isExternal ? planExternal(turn, inputs) : planModelRound(turn, inputs);
}

function planModelRound(
  turn: TurnView,
  inputs: AskInputs & { head: Seq },
): AskStep | CloseTurnStep {
  const budget = roundBudget(turn, inputs.roundsMax);
  const { used } = budget;
  const asOf = turn.rounds.at(-1)?.asOf ?? inputs.head;
  const round = turn.rounds.length + 1;
  const steered = inputs.steer === 'redirect' ? undefined : steeredRounds(turn, budget.total);
  const repeated = isRepetition(turn);
  const spent = repeated || used >= budget.total || isUsedUp(turn, inputs);
  const end = { do: 'close_turn', asOf, unanswered: true } as const;
  const must = inputs.needsOutput && mustComplete(turn) ? ({ mustComplete: true } as const) : {};
  const finalize = { do: 'ask', round, phase: 'finalize', ...must } as const;
  if (steered !== undefined && steered >= finalizeRoundsMax) {
    return { ...end, reason: 'interrupted' };
  }
  if (spent && isEnded(turn, inputs, steered)) return { ...end, reason: 'exhausted' };
  if (steered !== undefined) {
    return { ...finalize, cause: 'steer', ...steeredBudget(budget, { steered, spent }) };
  }
  if (!spent) return { do: 'ask', round, phase: 'decision', budget, ...must };
  const total = Math.min(budget.total, used + 1);
  return { ...finalize, cause: repeated ? 'repetition' : 'budget', budget: { ...budget, total } };
}

function steeredBudget(
  budget: RoundBudget,
  { steered, spent }: { readonly steered: number; readonly spent: boolean },
): Pick<AskStep, 'budget' | 'resumable'> {
  const total = budget.used + finalizeRoundsMax - steered;
  const after = spent ? 0 : budget.total - budget.used - 1;
  return { budget: { ...budget, total }, ...(after > 0 ? { resumable: after } : {}) };
}

/** After a spent budget no call follows, not even to correct a structured output. */
function isEnded(turn: TurnView, inputs: AskInputs, steered: number | undefined): boolean {
  if (spendRefusal(turn)) return true;
  if (inputs.needsOutput && hasGrace(turn) && !isUsedUp(turn, inputs)) return false;
  return inputs.exhausted === 'close' || isFinalised(turn, steered);
}

/** The time, the tokens or the money of the turn are used up, or what its user or tenant may spend. */
export function isUsedUp(turn: TurnView, inputs: AskInputs): boolean {
  return leftMs(turn, inputs) <= 0 || isSpent(turn, inputs) || spendRefusal(turn) !== undefined;
}

/**
 * Whether the turn ends after the open round unless that round answers; `tokens` and `costUsd` are the usage of its
 * reply.
 */
export function isLastRound(
  turn: TurnView,
  inputs: AskInputs & { head: Seq },
  { tokens, costUsd }: { tokens: number; costUsd: number },
): boolean {
  const { tokensMax, costUsdMax } = inputs;
  const left = {
    ...(tokensMax === undefined ? {} : { tokensMax: tokensMax - tokens }),
    ...(costUsdMax === undefined ? {} : { costUsdMax: costUsdMax - costUsd }),
  };
  return planAsk(turn, { ...inputs, ...left }).do === 'close_turn';
}

/** The one finalize round after a spent budget is over. */
function isFinalised({ rounds }: TurnView, steered: number | undefined): boolean {
  const last = rounds.findLast(promptsConversation);
  return (
    last?.phase === 'finalize' && !isOverflow(last) && !isBrokenOff(last) && steered === undefined
  );
}

/** Another round of an agent program, unless the budget is used up: it has nothing to finish without its tools. */
function planExternal(turn: TurnView, inputs: AskInputs): RunExternalStep | CloseTurnStep {
  const { total } = roundBudget(turn, inputs.roundsMax);
  const isSpent = isUsedUp(turn, inputs) || turn.rounds.length >= total;
  const last = turn.rounds.at(-1);
  if (!isSpent || !last) return { do: 'run_external', round: turn.rounds.length + 1 };
  return { do: 'close_turn', reason: 'exhausted', asOf: last.asOf, unanswered: true };
}
