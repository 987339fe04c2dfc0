import type { Draft } from '../../../timeline/block.ts';
import { paths } from '../../../timeline/paths.ts';
import type { PlannedCall, ToolError } from '../../../tools/ports/tool.ts';
import type { ToolAction } from '../../plan/actions.ts';
import { finalizeCode } from '../../plan/plan-ask.ts';
import type { WorkerSession } from '../../session/session.ts';
import { agentRefusal } from './agent-ref.ts';
import { hintedModels, roleOfHint } from './model-hint.ts';

/** Why the plan does not run. Undefined: it may. */
export function planRefusal(session: WorkerSession, { steps }: PlannedCall): ToolError | undefined {
  if (session.turn.rounds.at(-1)?.phase === 'finalize') {
    const message = 'No plan runs in the phase finalize. Complete with what you have.';
    return { code: finalizeCode, message, retryable: false };
  }
  for (const { id, agent = session.agent.id, hint } of steps) {
    const refused = agentRefusal(session, agent);
    if (refused) return refused;
    if (hint === undefined || roleOfHint(session, { agent, hint })) continue;
    const known = ['fast', 'reasoning', ...hintedModels(session, agent)].join(', ');
    const message = `Step “${id}” has the unknown hint “${hint}”. Use one of ${known}, or leave it out.`;
    return { code: 'unknown_model', message, retryable: true };
  }
  return undefined;
}

/** Records the plan. It is on the log before any of its steps starts. */
export function toPlanBlock(
  session: WorkerSession,
  { call, tool }: ToolAction,
  { goal, steps }: PlannedCall,
): Draft {
  const { id: turn } = session.turn;
  return {
    type: 'agent.plan',
    turn,
    author: 'system',
    call,
    path: paths.agentPlan(turn, call),
    data: {
      ...{ call, tool },
      ...(goal === undefined ? {} : { goal }),
      steps: steps.map(({ id, task, needs, hint, agent = session.agent.id }) => {
        const role = hint && roleOfHint(session, { agent, hint });
        return {
          ...{ id, task, agent, needs: [...needs] },
          ...(hint === undefined ? {} : { hint }),
          ...(role ? { role } : {}),
        };
      }),
    },
  };
}
