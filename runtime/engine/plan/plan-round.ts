import { isJsonObject } from '../../base/json.ts';
import { isHandedOff } from '../../timeline/close/waits.ts';
import { isStop } from '../../timeline/fold/recall.ts';
import type { RoundView, TurnView } from '../../timeline/view.ts';
import { type Action, actionsOf, type FinalAction, isCall, type ToolAction } from './actions.ts';
import { type AnswerProfile, planEnd, type ReadyStep } from './plan-answer.ts';
import type { CloseTurnStep } from './plan-ask.ts';
import { type CallStep, planCall } from './plan-call.ts';
import { type EscalateStep, planEscalation, type SettleEscalationStep } from './plan-escalation.ts';
import { planExternalRound, type RecoverStep } from './plan-external.ts';
import { behindRepetition, isRepetition } from './repetition.ts';
import { behindFailure, endingFailure, type FailurePolicies } from './tool-failure.ts';

export type RoundStep =
  | RecoverStep
  | CallStep
  | EscalateStep
  | SettleEscalationStep
  | CloseTurnStep
  | { readonly do: 'complete'; readonly action: FinalAction }
  | { readonly do: 'close_round'; readonly outcome: 'acted' | 'interrupted' }
  | ReadyStep;

type RoundInputs = FailurePolicies & {
  readonly now: number;
  /** Undefined: inline. */
  readonly answer?: AnswerProfile;
};

/** An open round: perform the accepted actions in order. A missing result shows what a dead owner left behind. */
export function planRound(turn: TurnView, round: RoundView, inputs: RoundInputs): RoundStep {
  if (!round.modelCall) {
    return planExternalRound(turn, round, inputs) ?? { do: 'close_round', outcome: 'interrupted' };
  }
  const { answer: profile = 'inline' } = inputs;
  const actions = plannedActions(turn, round, inputs);
  for (const [index, action] of actions.entries()) {
    if (action.kind !== 'call_tool') {
      return handOff(turn, round) ?? planEnd(turn, { round, action, profile });
    }
    const next = callsFrom(actions, index + 1);
    const step =
      planCall(turn, round, { action, next, nowMs: inputs.now }) ??
      planEscalation(turn, { round, call: action.call }, inputs);
    if (step) return step;
  }
  const handedOff = handOff(turn, round);
  if (handedOff) return handedOff;
  const { data } = round.modelCall;
  const isCut = isJsonObject(data) && data['finish'] === 'interrupted';
  return { do: 'close_round', outcome: isCut ? 'interrupted' : 'acted' };
}

/**
 * The caller performs calls of this round: the turn closes, and events that no round has seen open another one. After a stop
 * nothing is handed off.
 */
function handOff({ events }: TurnView, round: RoundView): CloseTurnStep | undefined {
  if (!round.calls.some(isHandedOff)) return undefined;
  const stop = events.findLast((event) => event.seq > round.asOf && isStop(event));
  if (stop) return { do: 'close_turn', reason: 'interrupted', asOf: stop.seq };
  return { do: 'close_turn', reason: 'handed_off', asOf: round.asOf, unanswered: true };
}

/**
 * The actions of the reply. After a failure that ends the turn, calls that have not started do not start, and there is no
 * answer. After too many identical calls, further ones do not start.
 */
function plannedActions(
  turn: TurnView,
  round: RoundView,
  policies: FailurePolicies,
): readonly Action[] {
  const actions = round.modelCall ? actionsOf(round.modelCall) : [];
  const started = new Set(round.calls.map(({ call }) => call));
  const without = (decline: (action: ToolAction) => ToolAction) =>
    actions.map((action) =>
      isCall(action) && !started.has(action.call) ? decline(action) : action,
    );
  if (endingFailure(round, policies)) return without(behindFailure).filter(isCall);
  return isRepetition(turn) ? without(behindRepetition) : actions;
}

/** The calls from there on, up to an answer. */
function callsFrom(actions: readonly Action[], start: number): readonly ToolAction[] {
  const rest = actions.slice(start);
  const end = rest.findIndex(({ kind }) => kind !== 'call_tool');
  return rest.slice(0, end === -1 ? rest.length : end).filter(isCall);
}
