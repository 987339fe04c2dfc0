import type { Draft } from '../../../timeline/block.ts';
import { acknowledge } from '../../../timeline/plans/acknowledge.ts';
import { isOpen } from '../../../timeline/plans/plan-text.ts';
import { currentPlan, findPlan } from '../../../timeline/plans/plans.ts';
import type { PlanSnapshot, View } from '../../../timeline/view.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { WorkerSession } from '../../session/session.ts';

/** Marks in the notes tick off steps of the plan that the call works on; a new plan has no marks yet. */
export function planTicks(
  session: WorkerSession,
  { notes, ...action }: ToolAction,
): readonly Draft[] {
  if (action.declined !== undefined) return [];
  const plan = planOf(session.conversation.view, action);
  return acknowledge(notes, plan, { turn: session.turn.id, now: session.now });
}

function planOf(
  view: View,
  { tool, input }: Pick<ToolAction, 'tool' | 'input'>,
): PlanSnapshot | undefined {
  if (tool !== 'react.plan') return currentPlan(view);
  const { mode, plan_id: id } = input;
  if (mode !== 'close' && mode !== 'activate') return undefined;
  if (typeof id !== 'string') return currentPlan(view);
  const plan = findPlan(view, id);
  return plan && isOpen(plan) ? plan : undefined;
}
