import type { Block } from '../../timeline/block.ts';
import { dataOf } from '../../timeline/catalogue/catalogue.ts';
import { awaitedEnding } from '../../timeline/close/tasks.ts';
import { isHandedOff, type Wait, waitOf } from '../../timeline/close/waits.ts';
import type { CallView, PlanView, RoundView, TurnView } from '../../timeline/view.ts';
import type { ToolAction } from './actions.ts';

/** What happens next with an accepted call. */
export type CallStep =
  | ActStep
  /** Nothing runs and no worker holds the turn until an answer arrives or the deadline passes. */
  | { readonly do: 'park'; readonly untilMs: number }
  | PollStep
  | PollPlanStep
  | ResumeStep;

export type ActStep = {
  readonly do: 'run_calls';
  readonly action: ToolAction;
  readonly repeated: boolean;
  /** Calls that follow in the same decision and have not started; they may run in parallel if their tools allow it. */
  readonly next: readonly ToolAction[];
};

export type ResumeStep = {
  readonly do: 'resume';
  readonly action: ToolAction;
  readonly call: CallView;
  readonly wait: Wait;
  readonly why: 'answered' | 'expired' | 'steered';
};

/** Another agent has the call: check whether it has ended. */
export type PollStep = {
  readonly do: 'poll_delegate';
  readonly action: ToolAction;
  readonly wait: Wait;
  readonly steered: boolean;
};

/** Other agents have the steps of the call: check which have ended, and which may start. */
export type PollPlanStep = {
  readonly do: 'poll_plan';
  readonly action: ToolAction;
  readonly plan: PlanView;
  readonly steered: boolean;
};

/**
 * Undefined: the call has its result, or it was handed off. A call on the log without a result and without a wait was started by a dead
 * owner.
 */
export function planCall(
  turn: TurnView,
  round: RoundView,
  { action, next, nowMs }: { action: ToolAction; next: readonly ToolAction[]; nowMs: number },
): CallStep | undefined {
  const call = round.calls.find((each) => each.call === action.call);
  if (!call) return { do: 'run_calls', action, repeated: false, next };
  if (call.result) return undefined;
  const allowed = { ...action, input: inputOf(call) ?? action.input };
  if (isHandedOff(call)) return undefined;
  const wait = waitOf(call);
  if (!wait) return { do: 'run_calls', action: allowed, repeated: true, next: [] };
  const steer = firstSteer(turn, round);
  const polling = { action: allowed, steered: steer !== undefined };
  if (wait.for === 'agent') return { do: 'poll_delegate', ...polling, wait };
  if (wait.for === 'plan' && call.plan) return { do: 'poll_plan', ...polling, plan: call.plan };
  const { answer = awaitedEnding(turn, wait.request) } = wait;
  return planWait(
    { do: 'resume', action: allowed, call, wait: { ...wait, answer } },
    { steer, nowMs },
  );
}

type WaitEnds = { readonly steer: Block | undefined; readonly nowMs: number };

/** A call that waits for a person or a client. */
function planWait(resume: Omit<ResumeStep, 'why'>, { steer, nowMs }: WaitEnds): CallStep {
  const { wait } = resume;
  // The order of the log decides: an answer before the steer is valid.
  if (wait.answer && wait.answer.seq < (steer?.seq ?? Number.POSITIVE_INFINITY)) {
    return { ...resume, why: 'answered' };
  }
  if (steer) return { ...resume, why: 'steered' };
  if (nowMs > wait.untilMs) return { ...resume, why: 'expired' };
  return { do: 'park', untilMs: wait.untilMs };
}

/** The first steer that the round has not seen. */
export function firstSteer(turn: TurnView, { asOf }: RoundView): Block | undefined {
  return turn.events.find(({ type, seq }) => type === 'external.steer' && seq > asOf);
}

/** The input as the approving person edited it, otherwise as logged: transformers may have changed it. */
function inputOf({ approval, request }: CallView): ToolAction['input'] | undefined {
  const changed = approval?.decision && dataOf('approval.decision', approval.decision)?.input;
  return changed ?? dataOf('react.tool.call', request)?.input;
}
