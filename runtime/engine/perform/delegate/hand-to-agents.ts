import type { Draft } from '../../../timeline/block.ts';
import type { PreCall, ToolError } from '../../../tools/ports/tool.ts';
import type { ToolAction } from '../../plan/actions.ts';
import type { WorkerSession } from '../../session/session.ts';
import { agentRefusal } from './agent-ref.ts';
import { delegationRefusal, toAgentCall } from './delegate.ts';
import { planRefusal, toPlanBlock } from './plan-block.ts';

type ForAgents = Pick<Extract<PreCall, { ok: true }>, 'delegated' | 'plan'>;

/** The block that hands a call to one agent or to several, or why it does not. Undefined: the call is not for agents. */
export function handToAgents(
  session: WorkerSession,
  action: ToolAction,
  { delegated, plan }: ForAgents,
): { readonly error: ToolError } | { readonly block: Draft } | undefined {
  if (plan) {
    const error = delegationRefusal(session) ?? planRefusal(session, plan);
    return error ? { error } : { block: toPlanBlock(session, action, plan) };
  }
  if (!delegated) return undefined;
  const error = delegationRefusal(session) ?? agentRefusal(session, delegated.agent);
  return error ? { error } : { block: toAgentCall(session, action, delegated) };
}
