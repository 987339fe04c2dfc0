import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { earlierResults, plansOf } from '../../../timeline/delegation/plan-steps.ts';
import { createTool } from '../../definition/create-tool.ts';
import { PlanAnswer } from '../../ports/agent-answer.ts';
import type { CallContext, PlannedCall, PreCall, Tool } from '../../ports/tool.ts';
import {
  planGoalCharsMax,
  planResultCharsMax,
  planStepsMax,
  replansMax,
  stepIdCharsMax,
  stepTaskCharsMax,
} from '../limits.ts';
import { planProblem } from './check-plan.ts';
import { planReport } from './plan-report.ts';

const stepId = z
  .string()
  .regex(/^[A-Za-z0-9][\w-]*$/, 'must be letters, digits, - and _')
  .max(stepIdCharsMax);

const input = z.object({
  steps: z
    .array(
      z.object({
        id: stepId,
        task: z
          .string()
          .min(1)
          .max(stepTaskCharsMax)
          .describe(
            'everything its agent must know: it sees neither this conversation nor the plan',
          ),
        agent: z.string().optional().describe('default: an agent like you'),
        needs: z
          .array(z.string())
          .max(planStepsMax)
          .default([])
          .describe('ids of steps whose results this step reads'),
        hint: z
          .string()
          .optional()
          .describe('the model: fast, reasoning, or the id of one of your models'),
      }),
    )
    .min(1)
    .max(planStepsMax),
  goal: z
    .string()
    .max(planGoalCharsMax)
    .optional()
    .describe('what the steps must achieve together; default: the request of the user'),
});

export const runPlanId = 'react.run_plan';

/** Only for agents whose setting `delegation.plans` is on. `agents`: those that steps may name. */
export function createRunPlanTool({ agents }: { readonly agents: readonly string[] }): Tool {
  const tool = createTool({
    id: runPlanId,
    kind: 'control',
    effects: 'unkeyed',
    concurrency: 'alone',
    resultLimit: planResultCharsMax,
    description: `Runs agents on the steps of a plan, each in a conversation of its own: steps side by side as soon as the steps they need have ended. Use it where parts of the work do not depend on each other. Agents: ${agents.join(', ')}. The result has the answer of each step, and whether they are enough; if not, run another plan for what is missing (${replansMax} times at most).`,
    input,
    run: async (_, { answer, services }) => {
      if (answer?.ok) return planReport(PlanAnswer.parse(answer.ret), services);
      const { code, message } = answer?.error ?? notDelegated;
      const retryable = answer?.error.retryable ?? false;
      return { result: { ok: false, error: { code, message, retryable } } };
    },
  });
  const consider = async (given: JsonObject, context: CallContext): Promise<PreCall> => {
    const parsed = input.parse(given);
    const plan = plannedCall(parsed);
    const runs = context.view.openTurn ? plansOf(context.view.openTurn) : [];
    if (runs.length > replansMax) return { ok: false, error: noReplans };
    const earlier = [...earlierResults(runs).keys()];
    const error = planProblem(plan, { agents, earlier });
    return error ? { ok: false, error } : { ok: true, plan };
  };
  return { ...tool, consider };
}

function plannedCall({ steps, goal }: z.output<typeof input>): PlannedCall {
  return {
    ...(goal === undefined ? {} : { goal }),
    steps: steps.map(({ id, task, needs, agent, hint }) => ({
      ...{ id, task, needs: [...new Set(needs)] },
      ...(agent === undefined ? {} : { agent }),
      ...(hint === undefined ? {} : { hint }),
    })),
  };
}

const notDelegated = {
  code: 'denied',
  message: 'Plans run only as an action of their own.',
  retryable: false,
};

const noReplans = {
  code: 'replans_exhausted',
  message: `The turn has run its plan and ${replansMax} more. Answer with what you have, and say what is missing.`,
  retryable: false,
};
