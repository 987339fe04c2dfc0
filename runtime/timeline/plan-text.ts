import type { PlanSnapshot, StepStatus } from './view.ts';

const marks: Readonly<Record<StepStatus, string>> = {
  done: '✓',
  failed: '✗',
  in_progress: '…',
  pending: '□',
};

export function markOf(status: StepStatus): string {
  return marks[status];
}

/** `✓ [1] text of the step` for a 1-based step. */
export function stepLine(plan: PlanSnapshot, step: number): string {
  return `${marks[statusOf(plan, step)]} [${step}] ${plan.steps[step - 1] ?? ''}`;
}

export function statusOf(plan: PlanSnapshot, step: number): StepStatus {
  return plan.status[String(step)] ?? 'pending';
}

export function isComplete(plan: PlanSnapshot): boolean {
  return plan.steps.every((_, index) => ['done', 'failed'].includes(statusOf(plan, index + 1)));
}

/** Neither closed, nor replaced, nor done. */
export function isOpen(plan: PlanSnapshot): boolean {
  return plan.closed_ts === undefined && plan.superseded_ts === undefined && !isComplete(plan);
}
