import { plansShownMax } from '../limits.ts';
import type { PlanSnapshot, StepStatus } from '../view.ts';

const marks: Readonly<Record<StepStatus, string>> = {
  done: '✓',
  failed: '✗',
  in_progress: '▶',
  pending: '□',
};

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

/** `1 of 3 done` */
export function countsText(plan: PlanSnapshot): string {
  const done = plan.steps.filter((_, index) => statusOf(plan, index + 1) === 'done').length;
  return `${done} of ${plan.steps.length} done`;
}

/** Not closed, not replaced and not complete. */
export function isOpen(plan: PlanSnapshot): boolean {
  return plan.closed_ts === undefined && plan.superseded_ts === undefined && !isComplete(plan);
}

/** The newest open plans that fit into ANNOUNCE; the current plan is always included, as the last one. */
export function boardPlans(plans: readonly PlanSnapshot[]): readonly PlanSnapshot[] {
  const open = plans.filter(isOpen);
  const others = open.filter(({ current }) => !current);
  return [...others, ...open.filter(({ current }) => current)].slice(-plansShownMax);
}

/** All plans with their steps and state, newest last. */
export function planHistory(plans: readonly PlanSnapshot[]): string {
  if (plans.length === 0) return 'No plan has been made.\n';
  return plans.map((plan) => `${planState(plan)}\n`).join('\n');
}

function planState(plan: PlanSnapshot): string {
  const { plan_id, superseded_by_plan_id } = plan;
  const replaced = superseded_by_plan_id === undefined ? '' : ` by ${superseded_by_plan_id}`;
  const steps = plan.steps.map((_, index) => `  ${stepLine(plan, index + 1)}`);
  return [`${plan_id} (${stateOf(plan)}${replaced})`, ...steps].join('\n');
}

/** The state in one word. */
export function stateOf(plan: PlanSnapshot): string {
  if (plan.superseded_ts !== undefined) return 'replaced';
  if (plan.closed_ts !== undefined) return 'closed';
  if (isComplete(plan)) return 'complete';
  return plan.current ? 'current' : 'open';
}
