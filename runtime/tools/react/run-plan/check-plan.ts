import { findCycle } from '../../../timeline/delegation/plan-steps.ts';
import type { PlannedCall, ToolError } from '../../ports/tool.ts';
import { didYouMean } from '../../visibility/nearest-tools.ts';
import { planBytesMax } from '../limits.ts';

type PlanNames = {
  /** Agents that steps may name. */
  readonly agents: readonly string[];
  /** Ids of steps whose results the turn already has. */
  readonly earlier: readonly string[];
};

/** Why the plan cannot run. Undefined: it can. */
export function planProblem(
  plan: PlannedCall,
  { agents, earlier }: PlanNames,
): ToolError | undefined {
  const ids = plan.steps.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    return problem(
      'duplicate_step',
      `Two steps have the id “${twice}”. Give each step its own id.`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(plan));
  if (bytes > planBytesMax) {
    const most = `${planBytesMax / 1024} KiB`;
    return problem('plan_too_large', `The plan has more than ${most}. Write shorter tasks.`);
  }
  return unknownName(plan, { agents, earlier: [...ids, ...earlier] }) ?? cycleIn(plan);
}

function unknownName(
  { steps }: PlannedCall,
  { agents, earlier }: PlanNames,
): ToolError | undefined {
  for (const { id, agent, needs } of steps) {
    const need = needs.find((each) => !earlier.includes(each));
    if (need !== undefined) {
      const near = didYouMean(need, earlier);
      return problem('unknown_need', `Step “${id}” needs the unknown step “${need}”.${near}`);
    }
    if (agent !== undefined && !agents.includes(agent)) {
      const near = didYouMean(agent, agents);
      return problem('unknown_agent', `Step “${id}” names the unknown agent “${agent}”.${near}`);
    }
  }
  return undefined;
}

function cycleIn({ steps }: PlannedCall): ToolError | undefined {
  const cycle = findCycle(steps);
  if (!cycle) return undefined;
  const message = `These steps need each other: ${cycle.join(' → ')}. A step may only need steps that can end before it.`;
  return problem('plan_cycle', message);
}

function problem(code: string, message: string): ToolError {
  return { code, message, retryable: true };
}
