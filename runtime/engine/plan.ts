import { isJsonObject } from '../base/json.ts';
import type { Block, CloseReason, Draft } from '../timeline/block.ts';
import { openCompaction } from '../timeline/compact/end.ts';
import { type PruneSettings, planPrune } from '../timeline/prune/prune.ts';
import { isStop, isTakenBack } from '../timeline/recall.ts';
import type { RoundView, TurnView, View } from '../timeline/view.ts';
import { type Action, actionsOf, type FinalAction, isCall, type ToolAction } from './actions.ts';
import { isSpent, leftMs } from './budget.ts';
import { finalizeRoundsMax, takeoversMax } from './limits.ts';
import { type CallStep, planCall } from './plan-call.ts';
import {
  type CompactSettings,
  type CompactStep,
  isOverflow,
  planCompact,
  planOverflow,
} from './plan-compact.ts';

export type Phase = 'decision' | 'finalize';

/** What should happen next, read off the log alone. The engine does it; this only says it. */
export type Step =
  | { readonly do: 'rest' }
  | { readonly do: 'open_turn' }
  | { readonly do: 'ask'; readonly round: number; readonly phase: Phase; readonly budget: Budget }
  | CallStep
  | { readonly do: 'complete'; readonly action: FinalAction }
  | { readonly do: 'close_round'; readonly outcome: 'acted' | 'interrupted' }
  /** The provider has nothing of the prompt in its cache: what is old in it may go. */
  | { readonly do: 'prune'; readonly drafts: readonly Draft[] }
  | CompactStep
  /** A compaction whose owner was lost. */
  | { readonly do: 'end_compaction' }
  | CloseTurn;

export type CloseTurn = {
  readonly do: 'close_turn';
  readonly reason: CloseReason;
  readonly error?: TurnError;
  /** What arrived later is not answered by this turn and opens another. */
  readonly asOf: number;
};

export type TurnError = { readonly code: string; readonly message: string };
export type Budget = { readonly used: number; readonly total: number; readonly bonus: number };

export type PlanInputs = {
  /** A reactive event waits although no turn is open. */
  readonly unanswered: boolean;
  readonly takeovers: number;
  /** Blocks up to here are another conversation's: what is open in them is closed here and goes on there. */
  readonly forkedAt?: number;
  readonly roundsMax: number;
  readonly wallMs: number;
  readonly now: number;
  /** Input and output of every model call of the turn. Undefined: unlimited. */
  readonly tokensMax?: number | undefined;
  readonly costUsdMax?: number | undefined;
  /** After a spent budget: one finalising call, or none. */
  readonly exhausted: 'finalize' | 'close';
  /** Whether a tool that fails ends the turn. */
  readonly toolFailure: 'continue' | 'fail';
  /** What of an old prompt goes when the cache is cold. Undefined: nothing. */
  readonly prune?: PruneSettings | undefined;
  /** How much there may be in a prompt. Undefined: as much as there is. */
  readonly compact?: CompactSettings | undefined;
};

export function plan(view: View, inputs: PlanInputs): Step {
  const { forkedAt = 0 } = inputs;
  const turn = view.openTurn;
  if (!turn) return inputs.unanswered ? { do: 'open_turn' } : { do: 'rest' };
  const round = turn.rounds.at(-1);
  const lost = Math.max(inputs.takeovers, lostRounds(turn));
  if (lost > takeoversMax) return giveUpOn(turn, { error: abandoned, head: view.head });
  if (openCompaction(turn)) return { do: 'end_compaction' };
  if (turn.openSeq <= forkedAt) {
    return { do: 'close_turn', reason: 'interrupted', asOf: forkedAt };
  }
  if (round && !round.closed) return inRound(turn, round, inputs.now);
  if (!round && isTakenBack(view)) {
    return { do: 'close_turn', reason: 'interrupted', asOf: view.head };
  }
  const next = betweenRounds(turn, round, { ...inputs, head: view.head });
  return next.do === 'ask' ? (beforeAsk(view, inputs) ?? next) : next;
}

/** What the prompt needs first. Each of these changes the view, so that the next plan goes on from there. */
function beforeAsk(view: View, { now, prune: settings, compact }: PlanInputs): Step | undefined {
  const drafts = settings && planPrune(view, { now, settings });
  if (drafts) return { do: 'prune', drafts };
  return compact && planCompact(view, compact);
}

/** An open round: perform what was accepted, in order; what a dead owner left is told apart by its missing result. */
function inRound(turn: TurnView, round: RoundView, nowMs: number): Step {
  if (!round.modelCall) return { do: 'close_round', outcome: 'interrupted' };
  const actions = actionsOf(round.modelCall);
  for (const [index, action] of actions.entries()) {
    if (action.kind !== 'call_tool') return { do: 'complete', action };
    const step = planCall(turn, round, { action, next: callsFrom(actions, index + 1), nowMs });
    if (step) return step;
  }
  return { do: 'close_round', outcome: 'acted' };
}

/** The calls from there on, up to an answer. */
function callsFrom(actions: readonly Action[], start: number): readonly ToolAction[] {
  const rest = actions.slice(start);
  const end = rest.findIndex(({ kind }) => kind !== 'call_tool');
  return rest.slice(0, end === -1 ? rest.length : end).filter(isCall);
}

/** The end of a turn that cannot go on. What no round has seen gets a turn of its own, unless its user stopped it all. */
export function giveUpOn(
  turn: TurnView,
  { error, head }: { error: TurnError; head: number },
): CloseTurn {
  return stopOf(turn) ?? { do: 'close_turn', reason: 'failed', error, asOf: seenBy(turn) ?? head };
}

/** A stop that no round has seen ends everything that was said up to it. */
function stopOf(turn: TurnView): CloseTurn | undefined {
  const seen = seenBy(turn) ?? 0;
  const stop = turn.events.findLast((event) => event.seq > seen && isStop(event));
  return stop && { do: 'close_turn', reason: 'interrupted', asOf: stop.seq };
}

/** Seq of the last block that a model was shown; undefined before the first round. */
function seenBy({ rounds }: TurnView): number | undefined {
  return rounds.at(-1)?.asOf;
}

/** Rounds in a row, up to the last that ended, whose owner was lost while the model was asked. */
function lostRounds(turn: TurnView): number {
  const ended = turn.rounds.filter(({ closed }) => closed);
  const kept = ended.findLastIndex((round) => round.modelCall !== undefined || !wasLost(round));
  return ended.length - 1 - kept;
}

/** Why a round ended that nobody lost: its owner stopped on purpose. */
export const handedOver = 'hand_over';

function wasLost(round: RoundView): boolean {
  const end = endOf(round);
  return end?.outcome === 'interrupted' && end.cause !== handedOver;
}

function betweenRounds(
  turn: TurnView,
  last: RoundView | undefined,
  inputs: PlanInputs & { head: number },
): Step {
  const seen = last?.asOf ?? 0;
  const stop = stopOf(turn);
  if (stop) return stop;
  const ended = last && endOf(last);
  const failed = last && afterFailure(turn, last, inputs);
  if (failed) return failed;
  const fresh = turn.events.some((event) => event.seq > seen);
  if (ended?.outcome === 'answered' && !fresh) {
    return { do: 'close_turn', reason: 'completed', asOf: inputs.head };
  }
  const failure = inputs.toolFailure === 'fail' ? last && failedCall(last) : undefined;
  if (failure) return { do: 'close_turn', reason: 'failed', error: failure, asOf: seen };
  return ask(turn, inputs);
}

/** A round that failed ends its turn; one whose prompt was too large is tried once more, with less. */
function afterFailure(turn: TurnView, last: RoundView, { compact }: PlanInputs): Step | undefined {
  const error = endOf(last)?.error;
  const more = error && compact && isOverflow(last) ? planOverflow(turn) : undefined;
  if (!error || more === 'retry') return undefined;
  return more ?? { do: 'close_turn', reason: 'failed', error, asOf: last.asOf };
}

function ask(turn: TurnView, inputs: PlanInputs & { head: number }): Step {
  const budget = budgetOf(turn, inputs.roundsMax);
  const round = turn.rounds.length + 1;
  const asOf = seenBy(turn) ?? inputs.head;
  const steered = steeredRounds(turn);
  const spent = budget.used >= budget.total || leftMs(turn, inputs) < 0 || isSpent(turn, inputs);
  if (steered !== undefined && steered >= finalizeRoundsMax) {
    return { do: 'close_turn', reason: 'interrupted', asOf };
  }
  if (!spent && steered === undefined) return { do: 'ask', round, phase: 'decision', budget };
  if (!spent && steered !== undefined) {
    const total = budget.used + finalizeRoundsMax - steered;
    return { do: 'ask', round, phase: 'finalize', budget: { ...budget, total } };
  }
  const last = turn.rounds.at(-1);
  const finalised = last?.phase === 'finalize' && !isOverflow(last) && steered === undefined;
  if (finalised || inputs.exhausted === 'close') {
    return { do: 'close_turn', reason: 'exhausted', asOf };
  }
  const total = Math.min(budget.total, budget.used + 1);
  return { do: 'ask', round, phase: 'finalize', budget: { ...budget, total } };
}

function failedCall(round: RoundView): TurnError | undefined {
  for (const { tool, result } of round.calls) {
    const data = result?.data;
    const error = isJsonObject(data) && data['ok'] === false ? data['error'] : undefined;
    if (isJsonObject(error) && error['code'] !== 'interrupted') {
      return { code: 'TOOL_FAILED', message: `${tool}: ${String(error['message'])}` };
    }
  }
  return undefined;
}

/** Rounds opened since the last steer was seen; undefined when none steers, or a later event took over. */
function steeredRounds(turn: TurnView): number | undefined {
  const last = turn.events.findLast((event) => isReactive(event));
  if (last?.type !== 'external.steer') return undefined;
  return turn.rounds.filter((round) => round.asOf >= last.seq).length;
}

/** Each followup or other reactive event earns a round, at most as many as there were to begin with. */
export function budgetOf(turn: TurnView, roundsMax: number): Budget {
  const earned = turn.events.filter(
    (event) => event.type.startsWith('external.') && event.type !== 'external.steer',
  ).length;
  const bonus = Math.min(earned, roundsMax);
  return { used: turn.rounds.length, total: roundsMax + bonus, bonus };
}

function isReactive(event: Block): boolean {
  return event.type === 'user.prompt' || event.type.startsWith('external.');
}

function endOf(
  round: RoundView,
): { outcome: string; cause: unknown; error?: TurnError } | undefined {
  const data = round.blocks.findLast((block) => block.type === 'round.close')?.data;
  if (!isJsonObject(data)) return undefined;
  const { error, cause } = data;
  const failed = isJsonObject(error) && {
    code: String(error['code']),
    message: String(error['message']),
  };
  return { outcome: String(data['outcome']), cause, ...(failed ? { error: failed } : {}) };
}

const abandoned: TurnError = {
  code: 'TURN_ABANDONED',
  message:
    'The work on this turn was interrupted several times and has been given up. Please send it again.',
};
