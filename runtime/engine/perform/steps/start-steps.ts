import type { Draft } from '../../../timeline/block.ts';
import {
  nextSteps,
  type PlanRun,
  type PlanStep,
  type StepStart,
} from '../../../timeline/delegation/plan-steps.ts';
import { paths } from '../../../timeline/paths.ts';
import { exhausted } from '../../../tools/ports/turn-budget.ts';
import { stepGraceMs } from '../../limits.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { childName } from '../delegate/child-conversation.ts';
import { budgetLeft, type Lent } from '../delegate/delegate.ts';
import { failedStep } from './step-result.ts';

/**
 * The starts of all steps that may start now, and the ends of those that never will. A start is on the log before its
 * conversation exists.
 */
export function startSteps(
  session: WorkerSession,
  action: ToolAction,
  run: PlanRun,
): readonly Draft[] {
  const { sideBySide } = session.agent.delegation;
  const { ready, blocked } = nextSteps(run, { sideBySide });
  const place = { turn: session.turn.id, call: action.call };
  const ended = blocked.map(({ step: { id: step }, need }) => {
    const message = `Step “${step}” needs “${need}”, which failed. It did not start.`;
    return failedStep({ ...place, step }, { code: 'need_failed', message });
  });
  const lent = shareOfStep(session, run);
  const begun = ready.map((step) => {
    if (lent) return toStart(session, action, { step, lent });
    const { code, message } = exhausted(`step “${step.id}” did not start.`);
    return failedStep({ ...place, step: step.id }, { code, message });
  });
  return [...ended, ...begun];
}

/**
 * The share of the budget for each step that starts now. What running steps have is not lent twice; every step that has
 * not started, and the turn itself, get an equal part of the rest. Undefined: nothing is left.
 */
function shareOfStep(session: WorkerSession, { steps }: PlanRun): Lent | undefined {
  const { rounds, wall_ms, ...left } = budgetLeft(session);
  const running = steps.flatMap(({ started, result }) =>
    started && !result ? (started.data.lent ?? []) : [],
  );
  const parts = steps.filter(({ started, result }) => !started && !result).length + 1;
  const tokens = shareOf(
    left.tokens,
    running.map((lent) => lent.tokens),
    parts,
  );
  const cost = shareOf(
    left.cost_usd,
    running.map((lent) => lent.cost_usd),
    parts,
  );
  const lent: Lent = {
    rounds,
    wall_ms: Math.min(wall_ms, session.agent.delegation.stepMs),
    ...(tokens === undefined ? {} : { tokens: Math.floor(tokens) }),
    ...(cost === undefined ? {} : { cost_usd: cost }),
  };
  const { tokens: some = 1, cost_usd: money = 1 } = lent;
  return lent.wall_ms <= 0 || some < 1 || money <= 0 ? undefined : lent;
}

/** Undefined: unlimited. */
function shareOf(
  left: number | undefined,
  lent: readonly (number | undefined)[],
  parts: number,
): number | undefined {
  if (left === undefined) return undefined;
  return (left - lent.reduce<number>((sum, each = 0) => sum + each, 0)) / parts;
}

type Start = { readonly step: PlanStep; readonly lent: Lent };

function toStart(
  session: WorkerSession,
  { call, tool }: ToolAction,
  { step: { id: step, agent, task }, lent }: Start,
): Draft {
  const { id: turn } = session.turn;
  const data: StepStart = {
    ...{ call, step, tool, agent, input: { task } },
    conversation: childName(session.conversation.lease.row, { call, step }),
    // The agent ends when its time is used up; this limit is for an agent that no worker runs.
    deadline: session.deadlineIn(lent.wall_ms + stepGraceMs),
    lent: { ...lent },
  };
  return {
    type: 'agent.call',
    turn,
    author: 'system',
    call,
    path: paths.agentCall(turn, call, step),
    data: { ...data, lent: { ...lent } },
  };
}
